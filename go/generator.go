// SPDX-License-Identifier: MIT

package flakecore

// #include "native.h"
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// Generator makes IDs, each larger than all before, for any number of goroutines.
//
// Next is what nearly every program needs. A step of the core never sleeps: it gives an ID, an
// error, or how long to wait. The waits are here; how long they last altogether is the core's to
// decide.
type Generator struct {
	native   atomic.Pointer[byte] // the core's handle; nil: closed
	done     chan struct{}        // closed when it is closed: ends waits
	clock    *TestClock           // nil: the system's clocks
	layout   Layout
	stride   int64
	node     int64
	nodeText string
	space    string
}

// New opens a generator. Close it when it is no longer needed; one that is dropped is closed when
// the garbage collector finds it.
//
// Generators of a process with equal options share their numbers. The first ID lies in the first
// tick that begins after opening.
//
// ErrNoNode, ErrNodeOutOfRange: no node, or it does not fit. ErrNodeInUse: open in this process
// with other options, or in another process of this host. ErrLayoutDiffers: the space is open with
// another layout. ErrBadLayout, ErrNotSupported, ErrBeforeEpoch, ErrTimeUsedUp: the layout cannot
// generate now. ErrCeilingReached: the first tick is not below the ceiling. ErrInvalidArgument:
// another value is out of its range. ErrNoRunDir, ErrOutOfMemory, ErrNoEntropy: the system refused.
// Their text says what to do.
func New(given ...Option) (*Generator, error) {
	all, found, err := optionsOf(given)
	if err != nil {
		return nil, err
	}
	var native *C.flake_generator
	var clock *C.flake_test_clock
	if all.clock != nil {
		clock = all.clock.native
	}
	if status := C.flake_open(&all.config, clock, &native); status < 0 {
		return nil, explained(&all.config, status)
	}
	gen := &Generator{
		done: make(chan struct{}), clock: all.clock, layout: all.layout, node: found.Node,
		nodeText: found.Text, space: C.GoString(&all.config.space[0]),
	}
	gen.native.Store((*byte)(unsafe.Pointer(native)))
	gen.stride, _ = all.layout.Stride() // flake_open refused what has none
	runtime.SetFinalizer(gen, (*Generator).Close)
	return gen, nil
}

// Close ends the right to issue; a second time it does nothing. Others with equal options stay
// open. A wait in progress ends with ErrClosed: at once, or, in its last 2 ms, with it.
func (gen *Generator) Close() error {
	if gen == nil {
		return nil
	}
	native := gen.native.Swap(nil)
	if native == nil {
		return nil
	}
	runtime.SetFinalizer(gen, nil)
	close(gen.done)
	if status := C.flake_close((*C.flake_generator)(unsafe.Pointer(native))); status < 0 {
		return errorOf(C.int64_t(status))
	}
	return nil
}

// address is that of the core's handle, 0 when closed, maybe by another goroutine just now. The
// memory there is never freed, so that it does no harm to be late.
func (gen *Generator) address() C.uintptr_t {
	if gen == nil {
		return 0
	}
	return C.uintptr_t(uintptr(unsafe.Pointer(gen.native.Load())))
}

// handle is the core's handle. ErrClosed: closed, or never opened.
func (gen *Generator) handle() (*C.flake_generator, error) {
	if gen == nil {
		return nil, ErrClosed
	}
	if native := gen.native.Load(); native != nil {
		return (*C.flake_generator)(unsafe.Pointer(native)), nil
	}
	return nil, ErrClosed
}

// stillUsed keeps the garbage collector from closing a generator whose last call is still running.
func (gen *Generator) stillUsed() {
	runtime.KeepAlive(gen)
}

// ---- one ID ------------------------------------------------------------------------------------

// Next gives the next ID. It waits as long as WithMaxWait allows, in all.
//
// ErrClockRewound, ErrClockFrozen, ErrBeforeEpoch: mend the clock; calls succeed again by
// themselves when it has caught up. ErrExhausted, ErrDeadlinePassed: the longest wait was too
// short; retry. ErrTimeUsedUp, ErrCeilingReached: the end of the layout, or of WithCeiling.
// ErrClosed: closed. ErrForked: the process is a fork of the one that opened it.
func (gen *Generator) Next() (ID, error) {
	drawn := C.flake_go_next(gen.address(), nil)
	if drawn.first > 0 {
		gen.stillUsed()
		return ID(drawn.first), nil
	}
	return gen.nextAfter(context.Background(), drawn)
}

// NextContext is Next, but a wait also ends when ctx is done: at once, or, in its last 1 ms, with
// it. errors.Is finds ctx.Err() in the error, and what context.Cause gives. No ID is drawn before a
// wait, so none is lost.
func (gen *Generator) NextContext(ctx context.Context) (ID, error) {
	if ctx.Err() != nil {
		return 0, interruptedBy(ctx, "")
	}
	drawn := C.flake_go_next(gen.address(), nil)
	if drawn.first > 0 {
		gen.stillUsed()
		return ID(drawn.first), nil
	}
	return gen.nextAfter(ctx, drawn)
}

// nextAfter goes on after a first step that gave no ID.
func (gen *Generator) nextAfter(ctx context.Context, drawn C.flake_go_drawn) (ID, error) {
	defer gen.stillUsed()
	defer forget(drawn.attempt)
	for drawn.first == C.FLAKE_E_AGAIN {
		if err := gen.wait(ctx, drawn.attempt); err != nil {
			return 0, err
		}
		drawn = C.flake_go_next(gen.address(), drawn.attempt)
	}
	if drawn.first < 0 {
		return 0, errorOf(drawn.first)
	}
	return ID(drawn.first), nil
}

func forget(attempt *C.flake_attempt) {
	if attempt != nil {
		C.free(unsafe.Pointer(attempt))
	}
}

// TryNext gives the next ID, or ErrAgain when it would have to wait. Other errors as Next.
func (gen *Generator) TryNext() (ID, error) {
	id := C.flake_go_try(gen.address())
	gen.stillUsed()
	if id == C.FLAKE_E_AGAIN {
		return 0, errWouldWait
	}
	if id < 0 {
		return 0, errorOf(id)
	}
	return ID(id), nil
}

var errWouldWait = ErrAgain.because("no ID is to be had without a wait; call Next, or try later")

// ---- many IDs ----------------------------------------------------------------------------------

// Fill fills ids with rising IDs and returns how many. When that is less than len(ids), err says
// why, and ids[:n] are valid: no other call returns them. WithMaxWait bounds the whole call. Errors
// as Next.
func (gen *Generator) Fill(ids []ID) (n int, err error) {
	if len(ids) == 0 {
		_, err = gen.handle()
		return 0, err
	}
	defer gen.stillUsed()
	var attempt *C.flake_attempt
	defer func() { forget(attempt) }()
	for n < len(ids) {
		rest := (*C.int64_t)(unsafe.Pointer(&ids[n]))
		drawn := C.flake_go_fill(gen.address(), rest, C.int64_t(len(ids)-n), attempt)
		attempt = drawn.attempt
		switch {
		case drawn.first > 0:
			n += int(drawn.first)
		case drawn.first != C.FLAKE_E_AGAIN:
			return n, errorOf(drawn.first)
		default:
			if err := gen.wait(context.Background(), attempt); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// Range is IDs that follow each other in one tick.
type Range struct {
	First  ID
	Len    int64
	Stride int64 // what lies between two of them: 1, or more
}

// At is the ID number i, from 0 on. It panics when i is not below Len.
func (ids Range) At(i int64) ID {
	if i < 0 || i >= ids.Len {
		panic(fmt.Sprintf("flakecore: ID %d of a Range of %d", i, ids.Len))
	}
	return ids.First + ID(i*ids.Stride)
}

// All is for range loops of Go 1.23 and later: for id := range ids.All().
func (ids Range) All() func(yield func(ID) bool) {
	return func(yield func(ID) bool) {
		for i := int64(0); i < ids.Len && yield(ids.At(i)); i++ {
		}
	}
}

// Range gives up to n (>= 1) IDs that follow each other in one tick: at least 1, maybe fewer than
// n. It costs as much as one Next. Waits and errors as Next. ErrInvalidArgument: n is below 1.
func (gen *Generator) Range(n int64) (Range, error) {
	if n < 1 {
		return Range{}, ErrInvalidArgument.because("n is %d; it must be at least 1", n)
	}
	defer gen.stillUsed()
	drawn := C.flake_go_range(gen.address(), C.int64_t(n), nil)
	defer forget(drawn.attempt)
	for drawn.first == C.FLAKE_E_AGAIN {
		if err := gen.wait(context.Background(), drawn.attempt); err != nil {
			return Range{}, err
		}
		drawn = C.flake_go_range(gen.address(), C.int64_t(n), drawn.attempt)
	}
	if drawn.first < 0 {
		return Range{}, errorOf(drawn.first)
	}
	return Range{ID(drawn.first), int64(drawn.issued), gen.stride}, nil
}

// ---- waits -------------------------------------------------------------------------------------

// Go's timers are late by up to a millisecond, in which a layout with ticks of 1 ms would lose what
// it has. So the end of a wait is slept in C. That holds a thread, so few may do it at a time.
const (
	sleptInC        = 2 * time.Millisecond
	sleptInCWithEnd = time.Millisecond // of a wait that a context may end
	sleepersMax     = 4
)

var sleepers atomic.Int32

// wait waits as a step asks, until the generator is closed at most. The error is that of ctx.
func (gen *Generator) wait(ctx context.Context, attempt *C.flake_attempt) error {
	if gen.clock != nil {
		gen.clock.sleepUntil(attempt.wake_ns)
	} else {
		gen.sleepUntil(ctx, time.Now().Add(time.Duration(attempt.wait_ns)))
	}
	if ctx.Err() != nil {
		return interruptedBy(ctx, " while waiting for "+waitedFor(attempt.reason))
	}
	return nil
}

func waitedFor(reason C.int64_t) string {
	switch reason {
	case C.FLAKE_E_DEADLINE_PASSED:
		return "the first tick"
	case C.FLAKE_E_EXHAUSTED:
		return "the next tick"
	case C.FLAKE_E_CLOCK_FROZEN:
		return "the clock to go on"
	}
	return "the clock to catch up"
}

func (gen *Generator) sleepUntil(ctx context.Context, end time.Time) {
	inC := sleptInC
	if ctx.Done() != nil {
		inC = sleptInCWithEnd
	}
	if coarse := time.Until(end) - inC; coarse > 0 {
		gen.sleep(ctx, coarse)
	}
	fine := time.Until(end)
	if fine > 0 && ctx.Err() == nil && !gen.Closed() && !sleepInC(fine) {
		gen.sleep(ctx, fine)
	}
}

// sleepInC sleeps, unless so many do already.
func sleepInC(long time.Duration) bool {
	defer sleepers.Add(-1)
	if sleepers.Add(1) > sleepersMax {
		return false
	}
	C.flake_go_sleep(C.int64_t(long))
	return true
}

// sleep sleeps by Go's timers, until ctx is done or the generator is closed at most.
func (gen *Generator) sleep(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-gen.done:
	case <-ctx.Done():
	}
}

// ---- what it is --------------------------------------------------------------------------------

// Node is its node number; 0 in a layout without node field.
func (gen *Generator) Node() int64 { return gen.node }

// NodeText says which source the node came from; "" when it was given as a number.
func (gen *Generator) NodeText() string { return gen.nodeText }

// Layout is its layout.
func (gen *Generator) Layout() Layout { return gen.layout }

// Space is the name of its space.
func (gen *Generator) Space() string { return gen.space }

// Closed says whether it was closed, or never opened.
func (gen *Generator) Closed() bool { return gen == nil || gen.native.Load() == nil }

// String says what it is.
func (gen *Generator) String() string {
	state := "open"
	if gen.Closed() {
		state = "closed"
	}
	return fmt.Sprintf("flakecore.Generator(node %d, %s, space %q, %s)", gen.node, gen.layout,
		gen.space, state)
}
