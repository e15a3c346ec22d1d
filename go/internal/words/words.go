// SPDX-License-Identifier: MIT

// Package words lets the command say things exactly as the command `flake` does.
package words

// OfCore gives what the core said of an error of the package flakecore, which sets this: with the
// names that options have in C. Of any other error it is the text.
var OfCore func(err error) string
