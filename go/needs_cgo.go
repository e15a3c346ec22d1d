// SPDX-License-Identifier: MIT

//go:build !cgo

package flakecore

// The package is built on a C library. Without cgo the compiler stops at this name, which says so.
var _ = flakecore_needs_cgo__set_CGO_ENABLED_to_1_and_install_a_C_compiler
