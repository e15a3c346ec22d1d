// SPDX-License-Identifier: MIT

// Draws three IDs as node 7 and takes the last one apart.
package main

import (
	"fmt"
	"os"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

func run() error {
	gen, err := flakecore.New(flakecore.WithNode(7)) // each live generator needs a number of its own
	if err != nil {
		return err // its text says what to do
	}
	defer gen.Close()
	var id flakecore.ID
	for i := 0; i < 3; i++ {
		if id, err = gen.Next(); err != nil {
			return err
		}
		fmt.Println(id)
	}
	parts, err := id.Decode()
	if err != nil {
		return err
	}
	fmt.Printf("%s, node %d, sequence %d\n", parts.Time().Format(time.RFC3339Nano), parts.Node,
		parts.Sequence)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
