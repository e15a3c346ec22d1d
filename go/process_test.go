// SPDX-License-Identifier: MIT

package flakecore

import (
	"context"
	"errors"
	"os"
	"testing"
)

func TestAnotherProcessIsToldByItsMarkOrItsID(t *testing.T) {
	for _, here := range []process{thisProcess(), {pid: os.Getpid()}} {
		if !here.isThis() {
			t.Errorf("%+v is this process", here)
		}
	}
	for _, other := range []process{{}, {mark: thisProcess().mark + 1}, {pid: os.Getppid()}} {
		if other.isThis() {
			t.Errorf("%+v is not this process", other)
		}
	}
}

func TestAProcessThatWasWipedGetsAMarkOfItsOwn(t *testing.T) {
	if wipedWord == nil {
		t.Fatal("this system wipes no memory in a forked child")
	}
	before := thisProcess()
	wipedWord.Store(0) // as in a child
	if before.isThis() || !thisProcess().isThis() || before.isThis() {
		t.Fatal("a child takes itself for its parent")
	}
}

var errCause = errors.New("the disk is full")

func TestTheCauseOfAContextIsFound(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := error(&interrupted{ctx.Err(), &os.PathError{Op: "write", Path: "x", Err: errCause}, " now"})
	var path *os.PathError
	if !errors.Is(err, context.Canceled) || !errors.Is(err, errCause) || !errors.As(err, &path) ||
		err.Error() != "context canceled now: write x: the disk is full" {
		t.Fatal(err)
	}
	if err := interruptedBy(ctx, ""); err.Error() != "context canceled" || errors.Is(err, errCause) {
		t.Fatal(err)
	}
}
