// SPDX-License-Identifier: MIT

package tests

import (
	"errors"
	"math"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
	"pgregory.net/rapid"
)

// Many IDs: slices that are filled, ranges, and blocks that are drawn ahead.

func TestAllWaysToManyIDsDrawRisingOnesFromTheSameNumbers(t *testing.T) {
	layouts := []string{"snowflake", "41/10/4", "sonyflake", "41/10/1", "32/2/24*1s"}
	rapid.Check(t, func(t *rapid.T) {
		layout := layoutOf(t, rapid.SampledFrom(layouts).Draw(t, "layout"))
		gen := open(t, flakecore.WithTestClock(clockAt(t, nowMs)), flakecore.WithLayout(layout))
		defer gen.Close()
		var ids []flakecore.ID
		for i := rapid.IntRange(1, 12).Draw(t, "draws"); i > 0; i-- {
			n := rapid.IntRange(1, 70).Draw(t, "n")
			switch rapid.SampledFrom([]string{"next", "range", "fill"}).Draw(t, "way") {
			case "next":
				ids = append(ids, drawn(t, gen, n)...)
			case "range":
				ids = append(ids, rangeOf(t, gen, n)...)
			case "fill":
				block := make([]flakecore.ID, n)
				if got := must[int](t)(gen.Fill(block)); got != n {
					t.Fatalf("%d of %d", got, n)
				}
				ids = append(ids, block...)
			}
		}
		rising(t, ids)
		if stats := must[flakecore.Stats](t)(gen.Stats()); stats.Issued != int64(len(ids)) {
			t.Fatalf("%d IDs; %+v", len(ids), stats)
		}
	})
}

func rangeOf(t failer, gen *flakecore.Generator, n int) []flakecore.ID {
	t.Helper()
	got := must[flakecore.Range](t)(gen.Range(int64(n)))
	stride := must[int64](t)(gen.Layout().Stride())
	if got.Len < 1 || got.Len > int64(n) || got.Stride != stride {
		t.Fatalf("%+v", got)
	}
	var ids []flakecore.ID
	got.All()(func(id flakecore.ID) bool {
		ids = append(ids, id)
		return true
	})
	first := must[flakecore.Decoded](t)(gen.Layout().Decode(got.First))
	last := must[flakecore.Decoded](t)(gen.Layout().Decode(got.At(got.Len - 1)))
	if first.Tick != last.Tick || int64(len(ids)) != got.Len {
		t.Fatalf("%v to %v, %d IDs", first, last, len(ids))
	}
	return ids
}

func TestALoopOverARangeMayEndEarly(t *testing.T) {
	ids := must[flakecore.Range](t)(open(t, flakecore.WithTestClock(clockAt(t, nowMs))).Range(5))
	seen := 0
	ids.All()(func(flakecore.ID) bool {
		seen++
		return seen < 3
	})
	if seen != 3 {
		t.Fatal(seen)
	}
}

func TestFillGivesExactlySoMany(t *testing.T) {
	for _, n := range []int{0, 1, 2, 4095, 4096, 4097, 20_000} {
		gen, ids := open(t), make([]flakecore.ID, n)
		if got := must[int](t)(gen.Fill(ids)); got != n {
			t.Fatalf("%d of %d", got, n)
		}
		rising(t, ids)
		gen.Close()
	}
}

func TestAnErrorInTheMiddleHandsOverWhatWasIssued(t *testing.T) {
	gen := open(t, flakecore.WithTestClock(clockAt(t, nowMs)),
		flakecore.WithMaxWait(3*time.Millisecond))
	ids := make([]flakecore.ID, 100_000)
	n, err := gen.Fill(ids)
	expect(t, err, flakecore.ErrExhausted)
	rising(t, ids[:n])
	if n%4096 != 0 || n < 4096 || n > 4*4096 || ids[n] != 0 {
		t.Fatalf("%d IDs, then %d", n, ids[n])
	}
	if stats := must[flakecore.Stats](t)(gen.Stats()); stats.Issued != int64(n) {
		t.Fatalf("%d IDs; %+v", n, stats)
	}
	if id := drawn(t, gen, 1)[0]; id <= ids[n-1] {
		t.Fatalf("%d after %d", id, ids[n-1])
	}
}

func TestAnErrorBeforeTheFirstIDComesFromAll(t *testing.T) {
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithTestClock(clock))
	drawn(t, gen, 1)
	clock.SetWall(time.UnixMilli(nowMs - 10_000))
	ids := make([]flakecore.ID, 5)
	n, err := gen.Fill(ids)
	expect(t, err, flakecore.ErrClockRewound)
	if n != 0 || ids[0] != 0 {
		t.Fatal(n, ids)
	}
	_, err = gen.Range(5)
	expect(t, err, flakecore.ErrClockRewound)
}

func TestARangeOfNothingIsRefused(t *testing.T) {
	gen := open(t)
	for _, n := range []int64{0, -1, math.MinInt64} {
		_, err := gen.Range(n)
		expect(t, err, flakecore.ErrInvalidArgument)
	}
	if ids := must[flakecore.Range](t)(gen.Range(math.MaxInt64)); ids.Len > 4096 {
		t.Fatalf("%+v", ids)
	}
}

func TestFillingAndDrawingAllocateNothing(t *testing.T) {
	gen := open(t, flakecore.WithLayout(layoutOf(t, "30/1/32*1s")),
		flakecore.WithMode(flakecore.Monotonic), flakecore.WithMaxLead(24*time.Hour))
	ids := make([]flakecore.ID, 1000)
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 1<<20, time.Hour))
	buffered.Next()
	for name, call := range map[string]func(){
		"Fill":     func() { gen.Fill(ids) },
		"Next":     func() { gen.Next() },
		"TryNext":  func() { gen.TryNext() },
		"Range":    func() { gen.Range(1000) },
		"Buffered": func() { buffered.Next() },
	} {
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// ---- blocks drawn ahead ------------------------------------------------------------------------

func TestABufferedOneGivesRisingIDsToAllGoroutines(t *testing.T) {
	gen := open(t, flakecore.WithMaxWait(time.Minute))
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 100, time.Minute))
	lists := make([][]flakecore.ID, 8)
	together(len(lists), func(i int) {
		for j := 0; j < 5000; j++ {
			id, err := buffered.Next()
			if err != nil {
				t.Error(err)
				return
			}
			lists[i] = append(lists[i], id)
			if j%50 == 0 { // others draw from the same generator meanwhile
				id, _ := gen.Next()
				lists[i] = append(lists[i], id)
			}
		}
	})
	var all []flakecore.ID
	for _, ids := range lists {
		all = append(all, ids...)
	}
	distinct(t, all)
}

// Whoever starts after another has ended gets a larger ID: ids are handed from one to the next.
func TestABufferedOneKeepsOrderFromOneGoroutineToTheNext(t *testing.T) {
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(
		open(t, flakecore.WithMaxWait(time.Minute)), 7, 200*time.Microsecond))
	baton := make(chan flakecore.ID, 1)
	baton <- 0
	together(8, func(int) {
		for j := 0; j < 2000; j++ {
			last := <-baton
			id, err := buffered.Next()
			if err != nil || id <= last {
				t.Errorf("%d after %d, %v", id, last, err)
			}
			baton <- id
		}
	})
}

func TestABlockThatIsTooOldIsDropped(t *testing.T) {
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithTestClock(clock))
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 100, 20*time.Millisecond))
	first := must[flakecore.ID](t)(buffered.Next())
	clock.Advance(time.Hour)
	deadline := time.Now().Add(10 * time.Second)
	for {
		id := must[flakecore.ID](t)(buffered.Next())
		if at := must[time.Time](t)(id.Time()); at.UnixMilli() >= nowMs+3_600_000 {
			break
		}
		if id <= first || time.Now().After(deadline) {
			t.Fatalf("%d of the old block", id)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestABufferedOneDrawsNothingAheadOfItsFirstCallAndCountsBlocks(t *testing.T) {
	gen := open(t, flakecore.WithTestClock(clockAt(t, nowMs)))
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 100, time.Hour))
	for _, wanted := range []int64{0, 100} {
		if stats := must[flakecore.Stats](t)(gen.Stats()); stats.Issued != wanted {
			t.Fatalf("%+v", stats)
		}
		must[flakecore.ID](t)(buffered.Next())
	}
	if id := drawn(t, gen, 1)[0]; id <= must[flakecore.ID](t)(buffered.Next()) {
		t.Fatal("an ID of the block is larger than one drawn after it")
	}
}

func TestABufferedOnePassesOnWhyThereIsNoBlock(t *testing.T) {
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithTestClock(clock))
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 2, time.Hour))
	must[flakecore.ID](t)(buffered.Next())
	clock.SetWall(time.UnixMilli(nowMs - 3_600_000))
	must[flakecore.ID](t)(buffered.Next())
	for i := 0; i < 3; i++ {
		_, err := buffered.Next()
		expect(t, err, flakecore.ErrClockRewound)
	}
	gen.Close()
	_, err := buffered.Next()
	expect(t, err, flakecore.ErrClosed)
}

func TestABufferedOneOfWrongSizeOrAgeIsRefused(t *testing.T) {
	gen := open(t)
	for _, size := range []int64{0, -1, 1<<31 + 1, math.MaxInt64} {
		_, err := flakecore.NewBuffered(gen, size, time.Second)
		expect(t, err, flakecore.ErrInvalidArgument)
	}
	for _, age := range []time.Duration{0, -1, 24*time.Hour + 1} {
		_, err := flakecore.NewBuffered(gen, 1, age)
		expect(t, err, flakecore.ErrInvalidArgument)
	}
	_, err := flakecore.NewBuffered(nil, 1, time.Second)
	expect(t, err, flakecore.ErrInvalidArgument)
	if errors.Is(gen.Close(), flakecore.ErrClosed) {
		t.Fatal("it was closed")
	}
}

func TestADroppedBufferedOneKeepsNoGeneratorOpen(t *testing.T) {
	space := flakecore.WithSpace(freshSpace())
	func() {
		buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(open(t, space), 10, time.Hour))
		must[flakecore.ID](t)(buffered.Next())
	}()
	collected(t, func() bool {
		gen, err := flakecore.New(flakecore.WithNode(1), space, flakecore.WithMaxWait(0))
		if err == nil {
			err = gen.Close()
		}
		return err == nil
	})
}
