// SPDX-License-Identifier: MIT

//go:build cgo

package flakecore

import (
	"sync"
	"sync/atomic"
	"time"
)

// Buffered gives the IDs of a Generator from a block that was drawn ahead, at a fraction of the
// cost of Generator.Next.
//
// Its IDs carry older times: that of the moment in which their block was drawn. Among themselves
// they rise as those of Next do: each is larger than all that this Buffered had returned, to any
// goroutine, when the call began. An ID that the generator, or another Buffered, gave meanwhile may
// be larger than later ones from here. What is left of a block is dropped when it is older than the
// age that was set, and when the generator is closed. Stats.Issued counts a whole block when it is
// drawn. A clock that is set back is noticed only when the next block is drawn.
type Buffered struct {
	gen    *Generator
	size   int64
	maxAge time.Duration
	block  atomic.Pointer[block]
	refill sync.Mutex  // held by who draws a block
	expiry *time.Timer // drops the block when it is too old
}

// block is IDs that were drawn; whoever raises taken has the ID of the number before.
type block struct {
	Range
	taken atomic.Int64
}

// NewBuffered makes a Buffered of blocks of up to size (1..2^31) IDs of one tick each. No ID is
// given out later than maxAge (> 0), as Go's timers measure it, after it was drawn. The generator
// stays its owner's to close. ErrInvalidArgument: out of range.
func NewBuffered(gen *Generator, size int64, maxAge time.Duration) (*Buffered, error) {
	if size < 1 || size > 1<<31 {
		return nil, ErrInvalidArgument.because("size is %d; it must lie in 1..2147483648", size)
	}
	if maxAge <= 0 {
		return nil, ErrInvalidArgument.because("max_age is %s; it must be more than 0", maxAge)
	}
	ids := &Buffered{gen: gen, size: size, maxAge: maxAge}
	ids.drop()
	ids.expiry = time.AfterFunc(maxAge, ids.drop)
	return ids, nil
}

// drop leaves an empty block.
func (ids *Buffered) drop() {
	ids.block.Store(&block{})
}

// Next gives the next ID of the block, or draws a new block, as Generator.Range does, with its
// waits and errors.
func (ids *Buffered) Next() (ID, error) {
	now := ids.block.Load()
	if i := now.taken.Add(1) - 1; i < now.Len && !ids.gen.Closed() {
		return now.First + ID(i*now.Stride), nil
	}
	return ids.nextOfNewBlock()
}

func (ids *Buffered) nextOfNewBlock() (ID, error) {
	ids.refill.Lock()
	defer ids.refill.Unlock()
	now := ids.block.Load() // maybe another goroutine was faster
	if i := now.taken.Add(1) - 1; i < now.Len && !ids.gen.Closed() {
		return now.At(i), nil
	}
	drawn, err := ids.gen.Range(ids.size)
	if err != nil {
		return 0, err
	}
	next := &block{Range: drawn}
	next.taken.Store(1)
	ids.block.Store(next)
	ids.expiry.Reset(ids.maxAge)
	return drawn.First, nil
}
