// SPDX-License-Identifier: MIT

// Many IDs at once: a slice that is filled, a range of one tick, and blocks that are drawn ahead.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

func run() error {
	gen, err := flakecore.New(flakecore.WithNode(7), flakecore.WithSpace("batch"))
	if err != nil {
		return err
	}
	defer gen.Close()

	ids := make([]flakecore.ID, 10_000)
	if _, err := gen.Fill(ids); err != nil { // all of them, or an error
		return err
	}
	fmt.Println(len(ids), "IDs from", ids[0], "to", ids[len(ids)-1])

	few, err := gen.Range(100) // at most so many, of one tick, in one native call
	if err != nil {
		return err
	}
	for i := int64(0); i < few.Len; i++ { // from Go 1.23 on: for id := range few.All()
		if few.At(i) <= ids[len(ids)-1] {
			return errors.New("an ID is not larger than the ones before")
		}
	}

	fast, err := flakecore.NewBuffered(gen, 1000, 10*time.Millisecond) // times up to 10 ms old
	if err != nil {
		return err
	}
	id, err := fast.Next()
	if err != nil {
		return err
	}
	fmt.Println("one of a block:", id)

	tooMany := make([]flakecore.ID, 10_000_000) // more than the layout allows within the longest wait
	n, err := gen.Fill(tooMany)
	if !errors.Is(err, flakecore.ErrExhausted) {
		return fmt.Errorf("no end after %d IDs: %w", n, err)
	}
	fmt.Println(n > 0, "-", err) // tooMany[:n] are valid

	parts, err := ids[0].Decode()
	if err != nil {
		return err
	}
	second := parts.Time().Truncate(time.Second)
	low, high, err := gen.Layout().Bounds(second, second.Add(time.Second))
	if err != nil {
		return err
	}
	fmt.Printf("SELECT * FROM orders WHERE id BETWEEN %d AND %d\n", low, high)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
