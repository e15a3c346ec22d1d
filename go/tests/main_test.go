// SPDX-License-Identifier: MIT

// Package tests uses the package as others do. It is a module of its own, so that what it needs
// burdens nobody else.
package tests

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

const nowMs = 1_750_000_000_000 // 2025-06-15T15:06:40Z, the start of a tick in every layout here

// asHelper names the work that this program does when a test starts it once more.
const asHelper = "FLAKECORE_TEST_HELPER"

func TestMain(m *testing.M) {
	if name := os.Getenv(asHelper); name != "" {
		helpers[name](os.Args[1:])
		os.Exit(0)
	}
	folder, err := os.MkdirTemp("", "flakecore-run-")
	if err != nil {
		panic(err)
	}
	os.Setenv("FLAKECORE_RUN_DIR", folder)
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

var spaces atomic.Int64

// freshSpace is a name that no other space of this process and its children has.
func freshSpace() string {
	return fmt.Sprintf("go-%d-%d", os.Getpid(), spaces.Add(1))
}

// failer is what *testing.T, *testing.F and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, values ...any)
}

func must[T any](t failer) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
		return value
	}
}

func clockAt(t failer, ms int64) *flakecore.TestClock {
	t.Helper()
	return must[*flakecore.TestClock](t)(flakecore.NewTestClock(time.UnixMilli(ms)))
}

// open opens node 1 of a fresh space, and what the options say otherwise.
func open(t failer, options ...flakecore.Option) *flakecore.Generator {
	t.Helper()
	all := append([]flakecore.Option{flakecore.WithNode(1), flakecore.WithSpace(freshSpace())},
		options...)
	return must[*flakecore.Generator](t)(flakecore.New(all...))
}

func layoutOf(t failer, text string) flakecore.Layout {
	t.Helper()
	return must[flakecore.Layout](t)(flakecore.ParseLayout(text))
}

func expect(t failer, err error, wanted error) {
	t.Helper()
	if !errors.Is(err, wanted) {
		t.Fatalf("%v came, not %v", err, wanted)
	}
}

// statusOf is the name of an outcome, as the vectors have it.
func statusOf(t failer, err error) string {
	t.Helper()
	var known *flakecore.Error
	if err == nil {
		return "ok"
	}
	if !errors.As(err, &known) {
		t.Fatalf("%v is no *flakecore.Error", err)
	}
	return known.Name()
}

// rising fails unless each ID is larger than the one before.
func rising(t failer, ids []flakecore.ID) {
	t.Helper()
	last := flakecore.ID(0)
	for i, id := range ids {
		if id <= last {
			t.Fatalf("ID %d is %d, after %d", i, id, last)
		}
		last = id
	}
}

// distinct fails when an ID is there twice.
func distinct(t failer, ids []flakecore.ID) {
	t.Helper()
	seen := make(map[flakecore.ID]bool, len(ids))
	for _, id := range ids {
		if id <= 0 || seen[id] {
			t.Fatalf("%d is no ID, or is there twice", id)
		}
		seen[id] = true
	}
}
