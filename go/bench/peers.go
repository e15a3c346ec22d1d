// SPDX-License-Identifier: MIT

// Package bench compares the package with others. It is a module of its own, so that they burden
// nobody else.
package bench

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/snowflake"
	"github.com/sony/sonyflake"
)

const epochMs = 1_735_689_600_000

// CAS is a generator in Go alone as one writes it with care: one compare-and-swap of tick and
// sequence, no repeat, a turn in place for the next tick, no rewind.
type CAS struct {
	state   atomic.Int64 // tick and sequence of the last ID
	node    int64
	seqBits int
}

var errRewound = errors.New("the clock was set back")

// NewCAS makes one with 12 bits of sequence, or with 21, so that it is never exhausted.
func NewCAS(node int64, wide bool) *CAS {
	seqBits := 12
	if wide {
		seqBits = 21
	}
	return &CAS{node: node, seqBits: seqBits}
}

// Next gives the next ID.
func (gen *CAS) Next() (int64, error) {
	for {
		last := gen.state.Load()
		now := (time.Now().UnixMilli() - epochMs) << gen.seqBits
		next := last + 1
		switch {
		case now > last:
			next = now
		case now < last>>gen.seqBits<<gen.seqBits:
			return 0, errRewound
		case next>>gen.seqBits != last>>gen.seqBits:
			continue // as the others do it
		}
		if gen.state.CompareAndSwap(last, next) {
			tick, sequence := next>>gen.seqBits, next&(1<<gen.seqBits-1)
			return tick<<22 | gen.node<<gen.seqBits | sequence, nil
		}
	}
}

// newBwmarrin makes one of github.com/bwmarrin/snowflake. Its bits are the package's variables.
func newBwmarrin(node int64, wide bool) *snowflake.Node {
	snowflake.Epoch, snowflake.NodeBits, snowflake.StepBits = epochMs, 10, 12
	if wide {
		snowflake.NodeBits, snowflake.StepBits = 1, 21
	}
	made, err := snowflake.NewNode(node)
	if err != nil {
		panic(err)
	}
	return made
}

// newSonyflake makes one of github.com/sony/sonyflake, which gives 25,600 IDs a second at most.
func newSonyflake(node int64) *sonyflake.Sonyflake {
	return sonyflake.NewSonyflake(sonyflake.Settings{
		StartTime: time.UnixMilli(epochMs),
		MachineID: func() (uint16, error) { return uint16(node), nil },
	})
}
