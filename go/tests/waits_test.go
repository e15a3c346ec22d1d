// SPDX-License-Identifier: MIT

package tests

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// Waits in real time, and contexts that end them.

var backgroundContext = context.Background()

// exhausted gives a generator that has few IDs and then none for up to 10 s.
func exhausted(t *testing.T, wait time.Duration) *flakecore.Generator {
	t.Helper()
	return open(t, flakecore.WithLayout(layoutOf(t, "32/10/2*10s")), flakecore.WithMaxWait(wait))
}

func TestAWaitEndsAtTheOneDeadline(t *testing.T) {
	gen := exhausted(t, 50*time.Millisecond)
	started := time.Now()
	n, err := gen.Fill(make([]flakecore.ID, 9))
	if n > 4 || !(errors.Is(err, flakecore.ErrDeadlinePassed) ||
		errors.Is(err, flakecore.ErrExhausted)) {
		t.Fatal(n, err)
	}
	if took := time.Since(started); took < 10*time.Millisecond || took > 5*time.Second {
		t.Fatal(took)
	}
}

// drawnUntilCanceled gives how many IDs came before the context, which must end the wait at once.
func drawnUntilCanceled(t *testing.T, next func(context.Context) (flakecore.ID, error)) int64 {
	t.Helper()
	ctx, cancel := context.WithCancel(backgroundContext)
	time.AfterFunc(100*time.Millisecond, cancel)
	started, issued := time.Now(), int64(0)
	for {
		if _, err := next(ctx); err != nil {
			expect(t, err, context.Canceled)
			break
		}
		issued++
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Fatal(took)
	}
	return issued
}

func TestAContextEndsAWaitAtOnceAndNoIDIsLost(t *testing.T) {
	gen := exhausted(t, 25*time.Second)
	issued := drawnUntilCanceled(t, gen.NextContext)
	if stats := must[flakecore.Stats](t)(gen.Stats()); stats.Issued != issued {
		t.Fatalf("%d IDs came; %+v", issued, stats)
	}
}

func TestTheErrorOfAContextSaysWhatTheWaitWasFor(t *testing.T) {
	gen := exhausted(t, 25*time.Second)
	ctx, cancel := context.WithTimeout(backgroundContext, 20*time.Millisecond)
	defer cancel()
	var err error
	for err == nil {
		_, err = gen.NextContext(ctx)
	}
	expect(t, err, context.DeadlineExceeded)
	if text := err.Error(); text != "context deadline exceeded while waiting for the first tick" &&
		text != "context deadline exceeded while waiting for the next tick" {
		t.Fatal(text)
	}
	clock := clockAt(t, nowMs)
	onClock := open(t, flakecore.WithTestClock(clock), flakecore.WithMaxWait(time.Hour))
	drawn(t, onClock, 1)
	clock.SetWall(time.UnixMilli(nowMs - 60_000))
	clock.StopSleeps(true)
	late, cancelLate := context.WithTimeout(backgroundContext, 20*time.Millisecond)
	defer cancelLate()
	_, err = onClock.NextContext(&doneLater{late, 1})
	expect(t, err, context.DeadlineExceeded)
	if !strings.HasSuffix(err.Error(), " while waiting for the clock to catch up") {
		t.Fatal(err)
	}
}

// doneLater is a context that is done from its second question on.
type doneLater struct {
	context.Context
	left int
}

func (ctx *doneLater) Err() error {
	if ctx.left--; ctx.left >= 0 {
		return nil
	}
	<-ctx.Done()
	return ctx.Context.Err()
}

func TestAContextThatIsDoneDrawsNothing(t *testing.T) {
	gen := open(t)
	ctx, cancel := context.WithCancel(backgroundContext)
	cancel()
	for i := 0; i < 10; i++ {
		_, err := gen.NextContext(ctx)
		expect(t, err, context.Canceled)
	}
	if stats := must[flakecore.Stats](t)(gen.Stats()); stats.Issued != 0 {
		t.Fatalf("%+v", stats)
	}
}

func TestAContextThatIsNotDoneChangesNothing(t *testing.T) {
	gen := open(t)
	ctx, cancel := context.WithTimeout(backgroundContext, time.Minute)
	defer cancel()
	var ids []flakecore.ID
	for i := 0; i < 20_000; i++ { // several ticks
		ids = append(ids, must[flakecore.ID](t)(gen.NextContext(ctx)))
	}
	rising(t, ids)
}

func TestOtherGoroutinesRunWhileManyWait(t *testing.T) {
	gen := open(t, flakecore.WithLayout(layoutOf(t, "32/10/2*1s")),
		flakecore.WithMaxWait(20*time.Second))
	done := make(chan struct{})
	go func() {
		defer close(done)
		together(20, func(int) { gen.Next() })
	}()
	turns := 0
	for waiting := true; waiting; turns++ {
		select {
		case <-done:
			waiting = false
		case <-time.After(10 * time.Millisecond):
		}
	}
	if turns < 5 {
		t.Fatalf("%d turns", turns)
	}
}

func TestClosingEndsAWaitWithClosed(t *testing.T) {
	for name, next := range map[string]func(*flakecore.Generator) error{
		"Next": func(gen *flakecore.Generator) error { _, err := gen.Next(); return err },
		"NextContext": func(gen *flakecore.Generator) error {
			ctx, cancel := context.WithCancel(backgroundContext)
			defer cancel()
			_, err := gen.NextContext(ctx)
			return err
		},
		"Fill": func(gen *flakecore.Generator) error {
			_, err := gen.Fill(make([]flakecore.ID, 9))
			return err
		},
		"Range": func(gen *flakecore.Generator) error { _, err := gen.Range(9); return err },
		"Buffered": func(gen *flakecore.Generator) error {
			_, err := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 9, time.Hour)).Next()
			return err
		},
	} {
		gen := exhausted(t, 25*time.Second)
		started := time.Now()
		var err error
		time.AfterFunc(50*time.Millisecond, func() { gen.Close() })
		for err == nil {
			err = next(gen)
		}
		expect(t, err, flakecore.ErrClosed)
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%s: the wait went on for %s", name, took)
		}
	}
}

// Each waits for itself: waits behind each other would add up.
func TestTheWaitsOfABufferedOneDoNotAddUp(t *testing.T) {
	gen := exhausted(t, 300*time.Millisecond)
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 1, time.Hour))
	for err := error(nil); err == nil || errors.Is(err, flakecore.ErrDeadlinePassed); {
		_, err = buffered.Next()
	}
	together(20, func(int) {
		started := time.Now()
		for err := error(nil); err == nil; { // a tick may begin meanwhile
			started = time.Now()
			_, err = buffered.Next()
		}
		if took := time.Since(started); took > 3*time.Second {
			t.Errorf("a wait of 300 ms took %s", took)
		}
	})
}

func TestAContextEndsTheWaitOfABufferedOneAndNoIDIsLost(t *testing.T) {
	gen := exhausted(t, 25*time.Second)
	buffered := must[*flakecore.Buffered](t)(flakecore.NewBuffered(gen, 2, time.Hour))
	issued := drawnUntilCanceled(t, buffered.NextContext)
	if stats := must[flakecore.Stats](t)(gen.Stats()); stats.Issued < issued ||
		stats.Issued > issued+1 { // the rest of a block
		t.Fatalf("%d IDs came; %+v", issued, stats)
	}
	ended, cancel := context.WithCancel(backgroundContext)
	cancel()
	_, err := buffered.NextContext(ended)
	expect(t, err, context.Canceled)
}
