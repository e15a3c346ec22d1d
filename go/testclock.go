// SPDX-License-Identifier: MIT

package flakecore

// #include "../core/flakecore.h"
import "C"

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// TestClock is a clock for tests: a wall clock and a monotonic one that move only when told, or by
// the waits of a generator that uses it, so that no test needs real time.
//
//	clock, err := flakecore.NewTestClock(time.UnixMilli(1750000000000))
//	gen, err := flakecore.New(flakecore.WithNode(1), flakecore.WithTestClock(clock))
//	id, err := gen.Next()
//	err = clock.SetWall(clock.Wall().Add(-5 * time.Second))
//	_, err = gen.Next()     // ErrClockRewound
//
// All of its errors are ErrInvalidArgument: a value out of its range, or a clock that NewTestClock
// did not make. Of such a one Wall and Monotonic are zero.
type TestClock struct {
	native        *C.flake_test_clock
	sleepsStopped atomic.Bool
}

// NewTestClock makes a clock whose wall clock reads wall, a time from 1970 to 2262, and whose
// monotonic clock reads 1 s.
func NewTestClock(wall time.Time) (*TestClock, error) {
	ns, err := unixNs(wall)
	if err != nil {
		return nil, err
	}
	clock := &TestClock{}
	if status := C.flake_test_clock_open(ns, &clock.native); status < 0 {
		return nil, errorOf(C.int64_t(status))
	}
	runtime.SetFinalizer(clock, func(clock *TestClock) {
		C.flake_test_clock_close(clock.native)
	})
	return clock, nil
}

// unixNs is a time in Unix ns. ErrInvalidArgument: no int64 can hold that.
func unixNs(at time.Time) (C.int64_t, error) {
	if ns := at.UnixNano(); ns >= 0 && time.Unix(0, ns).Equal(at) {
		return C.int64_t(ns), nil
	}
	return 0, ErrInvalidArgument.because("wall is %s; it must lie in 1970..2262", shownTime(at))
}

var errNoTestClock = ErrInvalidArgument.because("the test clock was not made by NewTestClock")

// handle is the core's clock; nil: NewTestClock did not make it.
func (clock *TestClock) handle() *C.flake_test_clock {
	if clock == nil {
		return nil
	}
	return clock.native
}

// did is the error of a call: why, if it failed.
func (clock *TestClock) did(status C.flake_status, why string, values ...any) error {
	defer runtime.KeepAlive(clock)
	switch {
	case status >= 0:
		return nil
	case clock.handle() == nil:
		return errNoTestClock
	}
	return errorOf(C.int64_t(status)).because(why, values...)
}

// Wall is what the wall clock reads, in UTC.
func (clock *TestClock) Wall() time.Time {
	defer runtime.KeepAlive(clock)
	if clock.handle() == nil {
		return time.Time{}
	}
	return time.Unix(0, int64(C.flake_test_clock_wall(clock.native))).UTC()
}

// Monotonic is what the monotonic clock reads.
func (clock *TestClock) Monotonic() time.Duration {
	defer runtime.KeepAlive(clock)
	return time.Duration(max0(int64(C.flake_test_clock_monotonic(clock.handle()))))
}

// SetWall sets the wall clock, also backwards; the monotonic clock stays.
func (clock *TestClock) SetWall(wall time.Time) error {
	ns, err := unixNs(wall)
	if err != nil {
		return err
	}
	return clock.did(C.flake_test_clock_set_wall(clock.handle(), ns), "")
}

// SetRate says how many ns the wall clock gains for each 1,000 of monotonic time: 1000 at first, 0
// is frozen, -1000 retreats. -1000000..1000000.
func (clock *TestClock) SetRate(permille int64) error {
	return clock.did(C.flake_test_clock_set_rate(clock.handle(), C.int64_t(permille)),
		"permille is %d; it must lie in -1000000..1000000", permille)
}

// Advance lets monotonic time (>= 0) pass, as a wait on this clock does.
func (clock *TestClock) Advance(passed time.Duration) error {
	return clock.did(C.flake_test_clock_advance(clock.handle(), C.int64_t(passed)),
		"passed is %s; it must lie in 0..%s", passed, clock.left())
}

// Script makes the wall clock move by step when after (>= 0) has passed. At most 16 may be pending.
func (clock *TestClock) Script(after, step time.Duration) error {
	return clock.did(C.flake_test_clock_script(clock.handle(), C.int64_t(after), C.int64_t(step)),
		"after is %s; it must lie in 0..%s, and at most 16 steps may be pending", after, clock.left())
}

// left is how much time the monotonic clock can still tell.
func (clock *TestClock) left() time.Duration {
	return math.MaxInt64 - clock.Monotonic()
}

// StopSleeps says whether the generator's waits return at once and pass no time.
func (clock *TestClock) StopSleeps(stopped bool) error {
	flag := C.int32_t(0)
	if stopped {
		flag = 1
	}
	if clock.handle() != nil {
		clock.sleepsStopped.Store(stopped)
	}
	return clock.did(C.flake_test_clock_stop_sleeps(clock.handle(), flag), "")
}

// sleepUntil is a generator's wait: several may sleep to one moment, the first moves the clock.
func (clock *TestClock) sleepUntil(wake C.int64_t) {
	left := wake - C.int64_t(clock.Monotonic())
	if left > 0 && !clock.sleepsStopped.Load() {
		C.flake_test_clock_advance(clock.native, left)
	}
}
