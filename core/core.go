// SPDX-License-Identifier: MIT

// Package core compiles the C library in this folder, for the package flakecore, which calls it.
package core

// #cgo CFLAGS: -std=c11 -fvisibility=hidden
import "C"
