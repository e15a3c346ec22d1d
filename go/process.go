// SPDX-License-Identifier: MIT

package flakecore

// #include "native.h"
import "C"

import (
	"os"
	"sync/atomic"
)

// process tells this process from its forks, which have a copy of all that is in Go's memory. A
// word that the kernel wipes in a child says so at the price of reading it. Where there is none the
// process ID is compared.
type process struct {
	mark uint64 // what the word held
	pid  int    // 0 when there is such a word
}

var (
	wipedWord = (*atomic.Uint64)(C.flake_go_wiped_word())
	marks     atomic.Uint64 // given out so far; a child counts on, so that no mark comes twice
)

func thisProcess() process {
	if wipedWord == nil {
		return process{pid: os.Getpid()}
	}
	if wipedWord.Load() == 0 {
		wipedWord.CompareAndSwap(0, marks.Add(1))
	}
	return process{mark: wipedWord.Load()}
}

func (it process) isThis() bool {
	if it.pid == 0 {
		return it.mark == wipedWord.Load()
	}
	return it.hasThisID()
}

// hasThisID stands alone so that isThis is compiled in place.
//
//go:noinline
func (it process) hasThisID() bool {
	return it.pid == os.Getpid()
}
