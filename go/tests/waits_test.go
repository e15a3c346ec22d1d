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

func TestAContextEndsAWaitAtOnceAndNoIDIsLost(t *testing.T) {
	gen := exhausted(t, 25*time.Second)
	ctx, cancel := context.WithCancel(backgroundContext)
	time.AfterFunc(100*time.Millisecond, cancel)
	started := time.Now()
	issued := int64(0)
	for {
		_, err := gen.NextContext(ctx)
		if err != nil {
			expect(t, err, context.Canceled)
			break
		}
		issued++
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Fatal(took)
	}
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
	if !strings.Contains(err.Error(), "in a wait: ") {
		t.Fatal(err)
	}
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
	gen := open(t, flakecore.WithLayout(layoutOf(t, "32/10/1*1s")),
		flakecore.WithMaxWait(20*time.Second))
	time.AfterFunc(50*time.Millisecond, func() { gen.Close() })
	var err error
	for err == nil {
		_, err = gen.Next()
	}
	expect(t, err, flakecore.ErrClosed)
}
