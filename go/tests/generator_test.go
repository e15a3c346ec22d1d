// SPDX-License-Identifier: MIT

package tests

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// One generator: IDs one by one, opening and closing, sharing, health, stats.

// drawn gives n IDs of Next.
func drawn(t failer, gen *flakecore.Generator, n int) []flakecore.ID {
	t.Helper()
	ids := make([]flakecore.ID, n)
	for i := range ids {
		ids[i] = must[flakecore.ID](t)(gen.Next())
	}
	return ids
}

func TestIDsRiseAndSayTheirNode(t *testing.T) {
	gen := open(t, flakecore.WithNode(7))
	defer gen.Close()
	ids := drawn(t, gen, 10_000)
	rising(t, ids)
	for _, id := range ids {
		if parts := must[flakecore.Decoded](t)(id.Decode()); parts.Node != 7 {
			t.Fatalf("%d is of node %d", id, parts.Node)
		}
	}
	if at := must[time.Time](t)(ids[0].Time()); time.Since(at).Abs() > 10*time.Second {
		t.Fatalf("%s is not now", at)
	}
}

func TestTryNextSaysAgainInsteadOfWaiting(t *testing.T) {
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithLayout(layoutOf(t, "41/10/2")), flakecore.WithTestClock(clock))
	before := clock.Monotonic()
	_, err := gen.TryNext() // the first tick has not begun
	expect(t, err, flakecore.ErrAgain)
	clock.Advance(time.Millisecond)
	for i := 0; i < 4; i++ {
		must[flakecore.ID](t)(gen.TryNext())
	}
	_, err = gen.TryNext()
	expect(t, err, flakecore.ErrAgain)
	if passed := clock.Monotonic() - before; passed != time.Millisecond {
		t.Fatalf("%s passed", passed)
	}
	clock.SetWall(time.UnixMilli(nowMs - 5000))
	_, err = gen.TryNext()
	expect(t, err, flakecore.ErrClockRewound)
}

func TestAThousandGeneratorsMadeUsedAndDroppedRepeatNothing(t *testing.T) { // S4
	space := freshSpace()
	var ids []flakecore.ID
	for i := 0; i < 1000; i++ {
		gen := open(t, flakecore.WithSpace(space))
		ids = append(ids, must[flakecore.ID](t)(gen.Next()))
		if i%100 == 0 {
			runtime.GC()
		}
	}
	distinct(t, ids)
}

func TestTwoModulesThatOpenOneNodeShareOrAreRefused(t *testing.T) { // S5
	space := freshSpace()
	first, second := open(t, flakecore.WithSpace(space)), open(t, flakecore.WithSpace(space))
	var ids []flakecore.ID
	for i := 0; i < 500; i++ {
		ids = append(append(ids, drawn(t, first, 1)...), drawn(t, second, 1)...)
	}
	rising(t, ids)
	_, err := flakecore.New(flakecore.WithNode(1), flakecore.WithSpace(space),
		flakecore.WithMaxWait(7*time.Millisecond))
	expect(t, err, flakecore.ErrNodeInUse)
	if !strings.Contains(err.Error(), "open in this process with other options") {
		t.Fatal(err)
	}
	_, err = flakecore.New(flakecore.WithNode(2), flakecore.WithSpace(space),
		flakecore.WithLayout(layoutOf(t, "40/11/12")))
	expect(t, err, flakecore.ErrLayoutDiffers)
	runtime.KeepAlive(first)
	runtime.KeepAlive(second)
}

// calls are all calls of a generator that need it open.
func calls(gen *flakecore.Generator) map[string]func() error {
	buffered, err := flakecore.NewBuffered(gen, 1000, time.Hour)
	if err != nil && gen != nil { // the zero Buffered is as closed as its generator then
		panic(err)
	}
	return map[string]func() error{
		"Next": func() error { _, err := gen.Next(); return err },
		"TryNext": func() error {
			_, err := gen.TryNext()
			if errors.Is(err, flakecore.ErrAgain) {
				return nil
			}
			return err
		},
		"NextContext": func() error {
			_, err := gen.NextContext(backgroundContext)
			return err
		},
		"Fill":     func() error { _, err := gen.Fill(make([]flakecore.ID, 2)); return err },
		"Range":    func() error { _, err := gen.Range(1); return err },
		"Buffered": func() error { _, err := buffered.Next(); return err },
		"Buffered.NextContext": func() error {
			_, err := buffered.NextContext(backgroundContext)
			return err
		},
		"Health": func() error { _, err := gen.Health(); return err },
		"Stats":  func() error { _, err := gen.Stats(); return err },
		"Fill 0": func() error { _, err := gen.Fill(nil); return err },
	}
}

func TestWhatWasNeverOpenedIsClosed(t *testing.T) {
	var noBuffered *flakecore.Buffered
	all := map[string]func() error{
		"zero Buffered": func() error { _, err := (&flakecore.Buffered{}).Next(); return err },
		"nil Buffered":  func() error { _, err := noBuffered.Next(); return err },
		"zero Buffered.NextContext": func() error {
			_, err := (&flakecore.Buffered{}).NextContext(backgroundContext)
			return err
		},
	}
	for name, gen := range map[string]*flakecore.Generator{"nil ": nil, "zero ": {}} {
		for call, work := range calls(gen) {
			all[name+call] = work
		}
		if err := gen.Close(); err != nil || !gen.Closed() {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, call := range all {
		if err := call(); !errors.Is(err, flakecore.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEachOfTheEqualOnesClosesForItself(t *testing.T) {
	space, clock := flakecore.WithSpace(freshSpace()), flakecore.WithTestClock(clockAt(t, nowMs))
	first, second := open(t, space, clock), open(t, space, clock)
	all := calls(first)
	for name, call := range all {
		if err := call(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for i := 0; i < 2; i++ {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !first.Closed() || second.Closed() {
		t.Fatal("the wrong one is closed")
	}
	for name, call := range all {
		if err := call(); !errors.Is(err, flakecore.ErrClosed) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	last := drawn(t, second, 1)[0]
	second.Close()
	if id := drawn(t, open(t, space, clock), 1)[0]; id <= last {
		t.Fatalf("%d after %d", id, last)
	}
}

// collected waits until the garbage collector has closed what was dropped.
func collected(t *testing.T, done func() bool) {
	t.Helper()
	for i := 0; i < 1000; i++ {
		if runtime.GC(); done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("what was dropped is still there")
}

func TestADroppedGeneratorGivesItsNodeBack(t *testing.T) {
	space := flakecore.WithSpace(freshSpace())
	other := func() error {
		gen, err := flakecore.New(flakecore.WithNode(1), space, flakecore.WithMaxWait(0))
		if err == nil {
			err = gen.Close()
		}
		return err
	}
	gen := open(t, space)
	expect(t, other(), flakecore.ErrNodeInUse)
	runtime.KeepAlive(gen)
	gen = nil
	collected(t, func() bool { return other() == nil })
}

func TestTheTestClockLivesAsLongAsAGeneratorUsesIt(t *testing.T) {
	gen := open(t, flakecore.WithTestClock(clockAt(t, nowMs)))
	for i := 0; i < 5; i++ {
		clockAt(t, 0)
		runtime.GC()
	}
	drawn(t, gen, 10_000)
}

func TestACallInProgressKeepsADroppedGeneratorOpen(t *testing.T) {
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Add(1)
	go func() {
		defer collector.Done()
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	space := flakecore.WithSpace(freshSpace())
	for i := 0; i < 300; i++ {
		_, err := open(t, space).Next()
		if err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	collector.Wait()
}

func TestItSaysWhatItIs(t *testing.T) {
	t.Setenv("FLAKE_TEST_NODE", "9")
	space := freshSpace()
	gen := open(t, flakecore.WithSpace(space),
		flakecore.WithNodeFrom("env:NOT_THERE_AT_ALL,env:FLAKE_TEST_NODE"))
	if gen.Node() != 9 || gen.Space() != space || gen.Layout() != flakecore.DefaultLayout() {
		t.Fatal(gen)
	}
	if !strings.Contains(gen.NodeText(), "FLAKE_TEST_NODE") {
		t.Fatal(gen.NodeText())
	}
	wanted := fmt.Sprintf(
		"flakecore.Generator(node 9, t41n10s12@1735689600000, space %q, open)", space)
	if gen.String() != wanted {
		t.Fatal(gen)
	}
}

func TestALayoutWithoutNodeFieldNeedsNoNode(t *testing.T) {
	gen := must[*flakecore.Generator](t)(flakecore.New(flakecore.WithSpace(freshSpace()),
		flakecore.WithLayout(layoutOf(t, "41/0/12")), flakecore.WithTestClock(clockAt(t, nowMs))))
	if drawn(t, gen, 1); gen.Node() != 0 {
		t.Fatal(gen)
	}
}

// ---- clocks ------------------------------------------------------------------------------------

func TestAFrozenClockGivesIDsAndThenErrorsNeverARepeat(t *testing.T) { // S27
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithTestClock(clock), flakecore.WithMaxWait(5*time.Millisecond))
	drawn(t, gen, 1)
	clock.SetRate(0)
	var ids []flakecore.ID
	for i := 0; i < 5000; i++ {
		id, err := gen.Next()
		if err != nil {
			expect(t, err, flakecore.ErrClockFrozen)
			if id != 0 {
				t.Fatalf("%d beside an error", id)
			}
			continue
		}
		ids = append(ids, id)
	}
	if rising(t, ids); len(ids) != 4095 {
		t.Fatalf("%d IDs", len(ids))
	}
}

func TestARewindIsWaitedOutWithinTheLimitAndRefusedBeyond(t *testing.T) {
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithTestClock(clock))
	first := drawn(t, gen, 1)[0]
	clock.SetWall(clock.Wall().Add(-time.Second))
	before := clock.Monotonic()
	if id := drawn(t, gen, 1)[0]; id != first+1 || clock.Monotonic()-before != time.Second {
		t.Fatalf("%d after %d and %s", id, first, clock.Monotonic()-before)
	}
	clock.SetWall(clock.Wall().Add(-time.Hour))
	for i := 0; i < 5; i++ {
		_, err := gen.Next()
		if expect(t, err, flakecore.ErrClockRewound); !strings.Contains(err.Error(), "docs/clock.md") {
			t.Fatal(err)
		}
	}
	health := must[flakecore.Health](t)(gen.Health())
	if health.Level != flakecore.LevelFail || health.OK() || health.Status != "clock_rewound" ||
		len(health.Reasons) != 1 || health.Reasons[0] != flakecore.ReasonRewound ||
		health.RewindMs != 3_600_000 || !strings.HasPrefix(health.String(), "fail: ") {
		t.Fatalf("%+v", health)
	}
	clock.SetWall(clock.Wall().Add(time.Hour))
	if id := drawn(t, gen, 1)[0]; id != first+2 {
		t.Fatal(id)
	}
	stats := must[flakecore.Stats](t)(gen.Stats())
	if stats.Issued != 3 || stats.Refusals != 5 || stats.Rewinds == 0 ||
		stats.RewindMaxMs != 3_600_000 {
		t.Fatalf("%+v", stats)
	}
	if health := must[flakecore.Health](t)(gen.Health()); !health.OK() || health.String() != "ok" {
		t.Fatalf("%+v", health)
	}
}

func TestExhaustionIsCountedOnceForEachWait(t *testing.T) {
	gen := open(t, flakecore.WithLayout(layoutOf(t, "41/10/4")),
		flakecore.WithTestClock(clockAt(t, nowMs)))
	rising(t, drawn(t, gen, 16*5))
	if stats := must[flakecore.Stats](t)(gen.Stats()); stats.ExhaustionWaits != 4 ||
		stats.Issued != 80 {
		t.Fatalf("%+v", stats)
	}
}

func TestMonotonicModeGoesOnAheadOfTheClock(t *testing.T) {
	clock := clockAt(t, nowMs)
	_, err := flakecore.New(flakecore.WithNode(1), flakecore.WithSpace(freshSpace()),
		flakecore.WithTestClock(clock), flakecore.WithMode(flakecore.Monotonic))
	expect(t, err, flakecore.ErrInvalidArgument)
	if !strings.Contains(err.Error(), "monotonic mode needs WithMaxLead") {
		t.Fatal(err)
	}
	gen := open(t, flakecore.WithTestClock(clock), flakecore.WithMode(flakecore.Monotonic),
		flakecore.WithMaxLead(10*time.Millisecond))
	before := clock.Monotonic()
	ids := make([]flakecore.ID, 4096*5)
	must[int](t)(gen.Fill(ids))
	rising(t, ids)
	stats := must[flakecore.Stats](t)(gen.Stats())
	if clock.Monotonic() != before || stats.LeadMs < 4 || stats.LeadMs > 5 {
		t.Fatalf("%+v", stats)
	}
}

func TestFloorAndCeiling(t *testing.T) {
	clock := clockAt(t, nowMs)
	halfMs := 500 * time.Microsecond
	gen := open(t, flakecore.WithTestClock(clock),
		flakecore.WithStartFloor(time.UnixMilli(nowMs+49).Add(halfMs)),
		flakecore.WithCeiling(time.UnixMilli(nowMs+52).Add(halfMs)))
	if at := must[time.Time](t)(drawn(t, gen, 1)[0].Time()); at.UnixMilli() != nowMs+50 {
		t.Fatal(at)
	}
	if health := must[flakecore.Health](t)(gen.Health()); health.CeilingMs != nowMs+52 {
		t.Fatalf("%+v", health)
	}
	clock.Advance(60 * time.Millisecond)
	_, err := gen.Next()
	expect(t, err, flakecore.ErrCeilingReached)
}

func TestRandomStartsSpreadTheLowDigits(t *testing.T) {
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithTestClock(clock), flakecore.WithSeqSpreadBits(8))
	starts := map[int64]bool{}
	for i := 0; i < 200; i++ {
		clock.Advance(time.Millisecond)
		parts := must[flakecore.Decoded](t)(drawn(t, gen, 1)[0].Decode())
		if starts[parts.Sequence] = true; parts.Sequence > 255 {
			t.Fatal(parts)
		}
	}
	if len(starts) <= 80 {
		t.Fatalf("%d starts", len(starts))
	}
}

func TestTheCoarseClockGivesIDs(t *testing.T) {
	rising(t, drawn(t, open(t, flakecore.WithClockSource(flakecore.Coarse)), 10))
}

func TestWithTheGuardOffHealthWarns(t *testing.T) {
	gen := open(t, flakecore.WithHostGuard(flakecore.UnsafeOff))
	health := must[flakecore.Health](t)(gen.Health())
	if health.Level != flakecore.LevelWarn || !health.OK() ||
		health.Reasons[0] != flakecore.ReasonGuardOff {
		t.Fatalf("%+v", health)
	}
}

// ---- goroutines --------------------------------------------------------------------------------

// together runs work in n goroutines.
func together(n int, work func(i int)) {
	var workers sync.WaitGroup
	for i := 0; i < n; i++ {
		workers.Add(1)
		go func(i int) {
			defer workers.Done()
			work(i)
		}(i)
	}
	workers.Wait()
}

func TestAHundredThousandConcurrentCalls(t *testing.T) { // S19
	gen := open(t, flakecore.WithMaxWait(time.Minute))
	ids := make([]flakecore.ID, 100_000)
	var failed atomic.Int64
	together(len(ids), func(i int) {
		var err error
		if ids[i], err = gen.Next(); err != nil {
			failed.Add(1)
		}
	})
	distinct(t, ids)
	if stats := must[flakecore.Stats](t)(gen.Stats()); failed.Load() > 0 || stats.Issued != 100_000 {
		t.Fatalf("%d failed; %+v", failed.Load(), stats)
	}
}

func TestGoroutinesGetIDsThatDifferAndRise(t *testing.T) {
	for _, n := range []int{2, 8} {
		gen := open(t, flakecore.WithMaxWait(time.Minute))
		lists := make([][]flakecore.ID, n)
		together(n, func(i int) {
			for round := 0; round < 50; round++ {
				block := make([]flakecore.ID, 20)
				for j := 0; j < 50; j++ {
					id, _ := gen.Next()
					lists[i] = append(lists[i], id)
				}
				gen.Fill(block)
				lists[i] = append(lists[i], block...)
				few, _ := gen.Range(20)
				few.All()(func(id flakecore.ID) bool {
					lists[i] = append(lists[i], id)
					return true
				})
			}
		})
		var all []flakecore.ID
		for _, ids := range lists {
			rising(t, ids)
			all = append(all, ids...)
		}
		distinct(t, all)
		if stats := must[flakecore.Stats](t)(gen.Stats()); stats.Issued != int64(len(all)) {
			t.Fatalf("%d IDs; %+v", len(all), stats)
		}
	}
}

func TestClosingUnderLoadEndsEveryGoroutineWithAnIDOrClosed(t *testing.T) {
	for round := 0; round < 30; round++ {
		gen := open(t)
		all := calls(gen)
		delete(all, "Fill 0")
		go func() {
			time.Sleep(time.Millisecond)
			gen.Close()
		}()
		together(3, func(int) {
			for {
				for name, call := range all {
					if err := call(); errors.Is(err, flakecore.ErrClosed) {
						return
					} else if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
				}
			}
		})
	}
}

func TestClosingFromManyGoroutinesClosesOnce(t *testing.T) {
	for round := 0; round < 50; round++ {
		space := flakecore.WithSpace(freshSpace())
		keeper, gen := open(t, space), open(t, space)
		together(4, func(int) {
			if err := gen.Close(); err != nil {
				t.Error(err)
			}
		})
		drawn(t, keeper, 1)
		keeper.Close()
	}
}

func TestTheNumbersOfARangeArePanicsBeyondIt(t *testing.T) {
	ids := must[flakecore.Range](t)(open(t).Range(3))
	for _, i := range []int64{-1, ids.Len, math.MaxInt64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("ID %d of %d", i, ids.Len)
				}
			}()
			ids.At(i)
		}()
	}
}
