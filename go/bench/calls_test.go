// SPDX-License-Identifier: MIT

package bench

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// Times the calls; go/bench/run does it once a round. No layout caps single calls, and batches are
// drawn in monotonic mode. "per call" is in the name of what is not counted for each ID.

const many = 1000

func opened(b *testing.B, layout string, options ...flakecore.Option) *flakecore.Generator {
	b.Helper()
	options = append(options, flakecore.WithNode(1), flakecore.WithLayout(
		flakecore.MustParseLayout(layout)), flakecore.WithSpace(fmt.Sprintf("bench-%d", os.Getpid())))
	gen, err := flakecore.New(options...)
	if err == nil {
		_, err = gen.Next()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { gen.Close() })
	return gen
}

// wide gives 2,097,152 IDs a ms.
func wide(b *testing.B) *flakecore.Generator {
	b.Helper()
	return opened(b, "40/2/21")
}

func endless(b *testing.B) *flakecore.Generator {
	b.Helper()
	return opened(b, "30/1/32*1s", flakecore.WithMode(flakecore.Monotonic),
		flakecore.WithMaxLead(24*time.Hour))
}

// each times calls of one goroutine.
func each[T any](b *testing.B, next func() (T, error)) {
	b.Helper()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := next(); err != nil {
			b.Fatal(err)
		}
	}
}

// parallel times calls of as many goroutines as there are CPUs, ns for each ID of all together.
func parallel[T any](b *testing.B, next func() (T, error)) {
	b.Helper()
	b.ResetTimer()
	b.RunParallel(func(turns *testing.PB) {
		for turns.Next() {
			if _, err := next(); err != nil {
				b.Error(err)
			}
		}
	})
}

func buffered(b *testing.B) *flakecore.Buffered {
	b.Helper()
	ids, err := flakecore.NewBuffered(wide(b), many, time.Second)
	if err != nil {
		b.Fatal(err)
	}
	return ids
}

func peerNext(b *testing.B) func() (int64, error) {
	b.Helper()
	peer := newBwmarrin(1, true)
	return func() (int64, error) { return int64(peer.Generate()), nil }
}

func BenchmarkNext(b *testing.B)     { each(b, wide(b).Next) }
func BenchmarkTryNext(b *testing.B)  { each(b, wide(b).TryNext) }
func BenchmarkBuffered(b *testing.B) { each(b, buffered(b).Next) }
func BenchmarkBwmarrin(b *testing.B) { each(b, peerNext(b)) }
func BenchmarkCAS(b *testing.B)      { each(b, NewCAS(1, true).Next) }

func BenchmarkNextContext(b *testing.B) {
	gen := wide(b)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	each(b, func() (flakecore.ID, error) { return gen.NextContext(ctx) })
}

func BenchmarkRangePerCall(b *testing.B) {
	gen := endless(b)
	each(b, func() (flakecore.Range, error) { return gen.Range(many) })
}

func BenchmarkFillPerCall(b *testing.B) {
	gen, ids := endless(b), make([]flakecore.ID, many)
	each(b, func() (int, error) { return gen.Fill(ids) })
}

func BenchmarkTwoNext(b *testing.B)     { parallel(b, wide(b).Next) }
func BenchmarkTwoBuffered(b *testing.B) { parallel(b, buffered(b).Next) }
func BenchmarkTwoBwmarrin(b *testing.B) { parallel(b, peerNext(b)) }
func BenchmarkTwoCAS(b *testing.B)      { parallel(b, NewCAS(1, true).Next) }
