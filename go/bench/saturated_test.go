// SPDX-License-Identifier: MIT

package bench

import (
	"encoding/json"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// Draws IDs of the default layout as fast as they can be had, then looks for repeats. Writes JSON
// into the file that FLAKE_SATURATED names: for each generator the share of 4,096 IDs per ms that
// it gave in percent, and its CPU time for each ID in ns; for each way of use the IDs that were
// there twice; and the allocations of calls of the package.

const (
	mostPerSecond = 4_096_000
	drawnInAll    = 8000 // one of the peers gives no more than 25,600 a second
	lasting       = time.Second
)

type next func() (int64, error)

func ours(t *testing.T) next {
	t.Helper()
	gen, err := flakecore.New(flakecore.WithNode(1), flakecore.WithSpace("bench-saturated"))
	if err != nil {
		t.Fatal(err)
	}
	return func() (int64, error) {
		id, err := gen.Next()
		return int64(id), err
	}
}

var makers = map[string]func(t *testing.T) next{
	"flakecore": ours,
	"bwmarrin": func(*testing.T) next {
		peer := newBwmarrin(1, false)
		return func() (int64, error) { return int64(peer.Generate()), nil }
	},
	"CAS": func(*testing.T) next { return NewCAS(1, false).Next },
	"sonyflake": func(*testing.T) next {
		peer := newSonyflake(1)
		return func() (int64, error) {
			id, err := peer.NextID()
			return int64(id), err
		}
	},
}

func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

type saturation struct {
	Rate float64 `json:"rate"`
	CPU  float64 `json:"cpu"`
}

// saturate draws blocks of IDs, each by one call of draw, which says how many they were.
func saturate(draw func() int) saturation {
	count, used, start := 0, cpu(), time.Now()
	for time.Since(start) < lasting {
		count += draw()
	}
	elapsed, spent := time.Since(start), cpu()-used
	return saturation{100 * float64(count) / elapsed.Seconds() / mostPerSecond,
		float64(spent.Nanoseconds()) / float64(count)}
}

func byOne(t *testing.T, next next) func() int {
	return func() int {
		for i := 0; i < 100; i++ {
			if _, err := next(); err != nil {
				t.Fatal(err)
			}
		}
		return 100
	}
}

// eight is eight goroutines that share a generator.
func eight(t *testing.T, gen *flakecore.Generator) saturation {
	return saturate(func() int {
		const each = 20_000
		var workers sync.WaitGroup
		for i := 0; i < 8; i++ {
			workers.Add(1)
			go func() {
				defer workers.Done()
				for i := 0; i < each; i++ {
					if _, err := gen.Next(); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		workers.Wait()
		return 8 * each
	})
}

// ---- repeats -----------------------------------------------------------------------------------

func repeats(ids []int64) int {
	seen := make(map[int64]bool, len(ids))
	for _, id := range ids {
		seen[id] = true
	}
	return len(ids) - len(seen)
}

func list(t *testing.T, next next, n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		var err error
		if ids[i], err = next(); err != nil {
			t.Error(err)
		}
	}
	return ids
}

// fromGoroutines is eight goroutines that share one generator.
func fromGoroutines(t *testing.T, next next) int {
	var all []int64
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for i := 0; i < 8; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			ids := list(t, next, drawnInAll/8)
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, ids...)
		}()
	}
	workers.Wait()
	return repeats(all)
}

// fromNewOnes is a new generator for each ID.
func fromNewOnes(t *testing.T, maker func(*testing.T) next) int {
	var all []int64
	for i := 0; i < 1000; i++ {
		all = append(all, list(t, maker(t), 1)...)
	}
	return repeats(all)
}

// fromTwo is two parts of a program that make a generator of the same node each.
func fromTwo(t *testing.T, maker func(*testing.T) next) int {
	var all []int64
	first, second := maker(t), maker(t)
	for i := 0; i < 1000; i++ {
		all = append(append(all, list(t, first, 1)...), list(t, second, 1)...)
	}
	return repeats(all)
}

func TestSaturated(t *testing.T) {
	found := struct {
		Saturated map[string]saturation     `json:"saturated"`
		Repeats   map[string]map[string]int `json:"repeats"`
		Allocated float64                   `json:"allocations"`
	}{map[string]saturation{}, map[string]map[string]int{}, 0}
	for name, maker := range makers {
		if name != "sonyflake" { // its layout is another one
			found.Saturated[name] = saturate(byOne(t, maker(t)))
		}
		found.Repeats[name] = map[string]int{
			"eight goroutines":      fromGoroutines(t, maker(t)),
			"a new one for each ID": fromNewOnes(t, maker),
			"two of one node":       fromTwo(t, maker),
		}
	}
	gen, err := flakecore.New(flakecore.WithNode(1), flakecore.WithSpace("bench-saturated"))
	if err != nil {
		t.Fatal(err)
	}
	defer gen.Close()
	ids := make([]flakecore.ID, 1000)
	found.Saturated["flakecore, Fill"] = saturate(func() int {
		n, err := gen.Fill(ids)
		if err != nil {
			t.Fatal(err)
		}
		return n
	})
	found.Saturated["flakecore, eight"] = eight(t, gen)
	found.Allocated = testing.AllocsPerRun(100, func() {
		gen.Fill(ids)
		gen.Next()
	})
	data, err := json.Marshal(found)
	if err == nil {
		err = os.WriteFile(os.Getenv("FLAKE_SATURATED"), data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
