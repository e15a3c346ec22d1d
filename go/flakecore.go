// SPDX-License-Identifier: MIT

// Package flakecore makes time-ordered unique 64-bit IDs (Snowflake: time, node, sequence) in
// process, without an ID service.
//
//	gen, err := flakecore.New(flakecore.WithNode(7))
//	if err != nil { ... }
//	defer gen.Close()
//	id, err := gen.Next()         // a positive number, larger than all before
//	parts, err := id.Decode()     // parts.Time() is in UTC
//
// Each live generator of a space needs a node number of its own; there is no default. A value that
// does not fit is an error, never masked or cut: see Error. The package is built by cgo.
package flakecore

// #include "../core/flakecore.h"
import "C"

import (
	"fmt"
	"strings"

	_ "github.com/flakecore/flakecore/core" // the library itself
)

// Version is that of the package and of the library inside.
var Version = C.GoString(C.flake_version())

// shown is a text that somebody gave: quoted, and short enough for an error.
func shown(text string) string {
	if len(text) > 80 {
		return fmt.Sprintf("%q...", text[:77])
	}
	return fmt.Sprintf("%q", text)
}

// placeOf finds a word among those that there are. ErrInvalidArgument: it is none of them.
func placeOf[Word ~string](name string, word Word, words []Word) (int, error) {
	names := make([]string, len(words))
	for place, one := range words {
		if one == word {
			return place, nil
		}
		names[place] = string(one)
	}
	return 0, ErrInvalidArgument.because("%s is %s; it must be one of %s", name,
		shown(string(word)), strings.Join(names, ", "))
}
