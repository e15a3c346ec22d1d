// SPDX-License-Identifier: MIT

package flakecore

// #include "native.h"
import "C"

import (
	"context"
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
	home   process // that of the blocks: a fork has a copy of them
	block  atomic.Pointer[block]
	refill sync.Mutex // held by who draws a block, but not in a wait
}

// block is IDs that were drawn; whoever raises taken has the ID of the number before.
type block struct {
	Range
	taken  atomic.Int64
	expiry *time.Timer // refers to the block alone, so that it keeps no generator open
}

// drop makes the block an empty one.
func (ids *block) drop() {
	ids.taken.Store(ids.Len)
}

const ageMax = 24 * time.Hour

// NewBuffered makes a Buffered of blocks of up to size (1..2^31) IDs of one tick each. No ID is
// given out later than maxAge (more than 0, at most 24 hours) after it was drawn, as Go's timers
// measure it, also with a TestClock. The generator stays its owner's to close.
// ErrInvalidArgument: out of range, or no generator.
func NewBuffered(gen *Generator, size int64, maxAge time.Duration) (*Buffered, error) {
	if gen == nil {
		return nil, ErrInvalidArgument.because("gen is nil; make one by New")
	}
	if size < 1 || size > 1<<31 {
		return nil, ErrInvalidArgument.because("size is %d; it must lie in 1..2147483648", size)
	}
	if maxAge <= 0 || maxAge > ageMax {
		return nil, ErrInvalidArgument.because(
			"maxAge is %s; it must be more than 0 and at most 24h", maxAge)
	}
	ids := &Buffered{gen: gen, size: size, maxAge: maxAge, home: thisProcess()}
	ids.block.Store(&block{})
	return ids, nil
}

// Next gives the next ID of the block, or draws a new block, as Generator.Range does, with its
// waits and errors. ErrForked also while the block would last.
func (ids *Buffered) Next() (ID, error) {
	if id := ids.take(); id > 0 {
		return id, nil
	}
	return ids.nextOfNewBlock(context.Background())
}

// NextContext is Next, but a wait also ends when ctx is done, as that of Generator.NextContext.
func (ids *Buffered) NextContext(ctx context.Context) (ID, error) {
	if ctx.Err() != nil {
		return 0, interruptedBy(ctx, "")
	}
	if id := ids.take(); id > 0 {
		return id, nil
	}
	return ids.nextOfNewBlock(ctx)
}

// take gives an ID of the block, or 0 when there is none that may be given out.
func (ids *Buffered) take() ID {
	if ids == nil || ids.gen.Closed() || !ids.home.isThis() {
		return 0
	}
	now := ids.block.Load()
	if i := now.taken.Add(1) - 1; i < now.Len {
		return now.First + ID(i*now.Stride)
	}
	return 0
}

// nextOfNewBlock waits, if it must, beside others that do: each wait has its own end.
func (ids *Buffered) nextOfNewBlock(ctx context.Context) (ID, error) {
	if ids == nil || ids.gen.Closed() {
		return 0, ErrClosed
	}
	if !ids.home.isThis() { // here the mutex may be held for ever
		return 0, ErrForked
	}
	defer ids.gen.stillUsed()
	var attempt *C.flake_attempt
	defer func() { forget(attempt) }()
	for {
		id, err := ids.step(&attempt)
		if id > 0 || err != nil {
			return id, err
		}
		if err := ids.gen.wait(ctx, attempt); err != nil {
			return 0, err
		}
	}
}

// step gives an ID, of a new block if it must be; or 0 after a step that has to wait.
func (ids *Buffered) step(attempt **C.flake_attempt) (ID, error) {
	ids.refill.Lock()
	defer ids.refill.Unlock()
	if id := ids.take(); id > 0 { // maybe another goroutine was faster
		return id, nil
	}
	drawn := C.flake_go_range(ids.gen.address(), C.int64_t(ids.size), *attempt)
	*attempt = drawn.attempt
	if drawn.first == C.FLAKE_E_AGAIN {
		return 0, nil
	}
	if drawn.first < 0 {
		return 0, errorOf(drawn.first)
	}
	next := &block{Range: Range{ID(drawn.first), int64(drawn.issued), ids.gen.stride}}
	next.taken.Store(1)
	next.expiry = time.AfterFunc(ids.maxAge, next.drop)
	if old := ids.block.Swap(next); old.expiry != nil {
		old.expiry.Stop()
	}
	return next.First, nil
}
