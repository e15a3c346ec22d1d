// SPDX-License-Identifier: MIT

package flakecore

// #include "../core/flakecore.h"
import "C"

import (
	"time"
	"unsafe"
)

// Option is one choice of New. Of two that choose the same thing the later one counts.
type Option func(*options) error

// options are what New is given, on its way into the core's config.
type options struct {
	config   C.flake_config
	clock    *TestClock
	layout   Layout
	findNode func(Layout) (NodeFound, error) // nil: no node
}

// Mode says what to do when the clock is rewound or a tick is exhausted.
type Mode string

// The modes; docs/clock.md of the repository says which to choose.
const (
	Strict    Mode = "strict"    // never ahead of the clock: wait, or refuse
	Monotonic Mode = "monotonic" // never waits: goes on counting, ahead of the clock
)

// ClockSource says where the wall time comes from.
type ClockSource string

// The clock sources.
const (
	Precise ClockSource = "precise"
	Coarse  ClockSource = "coarse" // cheaper, late by 1 to 10 ms
)

// HostGuard says whether lock files keep other processes of this host from a node.
type HostGuard string

// The host guards.
const (
	GuardOn   HostGuard = "on"
	UnsafeOff HostGuard = "unsafe_off" // nothing keeps a second process from the same IDs
)

var (
	modes        = []Mode{Strict, Monotonic}
	clockSources = []ClockSource{Precise, Coarse}
	hostGuards   = []HostGuard{GuardOn, UnsafeOff}
)

// WithNode gives the number of this generator, 0..2^node_bits-1, which no other live generator of
// the space may have. There is no default. ErrNodeOutOfRange: it does not fit the layout.
func WithNode(node int64) Option {
	return func(options *options) error {
		options.findNode = func(layout Layout) (NodeFound, error) {
			return NodeFound{Node: node}, fits(node, layout)
		}
		return nil
	}
}

// WithNodeFrom takes the node from the surroundings: chain is as NodeFrom takes it, such as
// "env:NODE,hostname-ordinal". Errors as NodeFrom.
func WithNodeFrom(chain string) Option {
	return func(options *options) error {
		options.findNode = func(layout Layout) (NodeFound, error) { return NodeFrom(chain, layout) }
		return nil
	}
}

// WithLayout says how the bits are divided, DefaultLayout() when not given.
func WithLayout(layout Layout) Option {
	return func(options *options) error {
		options.layout = layout
		return nil
	}
}

// WithSpace names the set of IDs that must all differ, "default" when not given: 1..63 characters
// of A-Z a-z 0-9 . _ - and no dot first. ErrInvalidArgument: it is no name.
func WithSpace(space string) Option {
	return func(options *options) error {
		name := &options.config.space
		*name = [C.FLAKE_SPACE_SIZE]C.char{}
		for at := 0; at < len(space); at++ {
			if space[at] == 0 {
				return ErrInvalidArgument.because("space %s is not a name; it holds a NUL", shown(space))
			}
			if at < len(name) { // what does not fit has no NUL then, and the core refuses it
				name[at] = C.char(space[at])
			}
		}
		return nil
	}
}

// WithMode chooses Strict, when not given, or Monotonic, which needs WithMaxLead or WithStartFloor.
func WithMode(mode Mode) Option {
	return func(options *options) error {
		place, err := placeOf("WithMode", mode, modes)
		options.config.mode = C.uint32_t(place)
		return err
	}
}

// WithMaxWait bounds a whole call, 0 to 24 hours in whole ms; 1.1 s when not given, which rides out
// a leap second. ErrInvalidArgument: out of range.
func WithMaxWait(longest time.Duration) Option {
	return func(options *options) error {
		return setMs("WithMaxWait", longest, &options.config.max_wait_ms)
	}
}

// WithMaxLead bounds how far monotonic mode runs ahead of the clock, 0 to 24 hours in whole ms.
// Another process that opens the node this soon after the end of this one, however it ended,
// repeats IDs. ErrInvalidArgument: out of range.
func WithMaxLead(most time.Duration) Option {
	return func(options *options) error {
		return setMs("WithMaxLead", most, &options.config.max_lead_ms)
	}
}

// WithStartFloor issues no ID with an earlier time than this, rounded up to whole ms and to the
// start of a tick. ErrInvalidArgument: before 1970, or after April 2262.
func WithStartFloor(floor time.Time) Option {
	return func(options *options) (err error) {
		options.config.start_floor_ms, err = limitMs("WithStartFloor", floor, roundUp)
		return err
	}
}

// WithCeiling ends the right to issue: no ID has this time or a later one, rounded down to whole ms
// and to the start of a tick. ErrInvalidArgument: before 1970, or after April 2262.
// ErrCeilingReached: the first tick is not below it.
func WithCeiling(ceiling time.Time) Option {
	return func(options *options) (err error) {
		options.config.ceiling_ms, err = limitMs("WithCeiling", ceiling, roundDown)
		return err
	}
}

// WithSeqSpreadBits starts each tick's sequence at a random number below 2^bits, so that id % 16 is
// not always 0 at low rates: 0, when not given, to the layout's seq_bits.
func WithSeqSpreadBits(bits int64) Option {
	return func(options *options) error {
		options.config.seq_spread_bits = C.int64_t(bits)
		return nil
	}
}

// WithClockSource chooses Precise, when not given, or Coarse.
func WithClockSource(source ClockSource) Option {
	return func(options *options) error {
		place, err := placeOf("WithClockSource", source, clockSources)
		options.config.clock_source = C.uint32_t(place)
		return err
	}
}

// WithHostGuard chooses GuardOn, when not given, or UnsafeOff.
func WithHostGuard(guard HostGuard) Option {
	return func(options *options) error {
		place, err := placeOf("WithHostGuard", guard, hostGuards)
		options.config.host_guard = C.uint32_t(place)
		return err
	}
}

// WithTestClock takes a clock that moves only when told instead of the system's clocks.
func WithTestClock(clock *TestClock) Option {
	return func(options *options) error {
		if clock.handle() == nil {
			return errNoTestClock
		}
		options.clock = clock
		return nil
	}
}

// ---- into the config ---------------------------------------------------------------------------

func setMs(name string, value time.Duration, ms *C.int64_t) error {
	if value%time.Millisecond != 0 {
		return ErrInvalidArgument.because("%s", wrongDuration(name, value))
	}
	*ms = C.int64_t(value / time.Millisecond)
	return nil
}

// limitMs keeps a time off the number that means "not given"; the core says which it takes.
func limitMs(name string, at time.Time, between rounding) (C.int64_t, error) {
	ms, err := unixMs(name, at, between)
	if err != nil || ms == C.FLAKE_UNSET {
		return 0, ErrInvalidArgument.because("%s", wrongLimit(name, at))
	}
	return ms, nil
}

// fits refuses what the core would take for "not given" with what else is negative.
func fits(node int64, layout Layout) error {
	if node >= 0 {
		return nil
	}
	return doesNotFit(node, layout)
}

func doesNotFit(node int64, layout Layout) error {
	if layout.NodeBits() == 0 {
		return ErrNodeOutOfRange.because("layout %s has no node field; leave node %d out", layout,
			node)
	}
	return ErrNodeOutOfRange.because("node %d does not fit layout %s; give a number in 0..%d", node,
		layout, greatest(layout.NodeBits()))
}

// optionsOf applies the options to the core's defaults, and finds the node.
func optionsOf(given []Option) (*options, NodeFound, error) {
	all := &options{layout: defaultLayout}
	if status := C.flake_config_init(&all.config, C.sizeof_flake_config); status < 0 {
		return nil, NodeFound{}, errorOf(C.int64_t(status))
	}
	for _, option := range given {
		if option == nil {
			return nil, NodeFound{}, ErrInvalidArgument.because("an Option is nil")
		}
		if err := option(all); err != nil {
			return nil, NodeFound{}, err
		}
	}
	all.config.layout = all.layout.native
	if all.findNode == nil {
		return all, NodeFound{}, nil // the core says whether there must be one
	}
	found, err := all.findNode(all.layout)
	all.config.node = C.int64_t(found.Node)
	return all, found, err
}

// explained is the core's sentence on why it did not open a generator with this config.
func explained(config *C.flake_config, status C.flake_status) *Error {
	err := errorOf(C.int64_t(status))
	var chars [C.FLAKE_EXPLAIN_SIZE]C.char
	length := C.flake_explain(config, C.int64_t(status), &chars[0], C.FLAKE_EXPLAIN_SIZE)
	if length <= 0 {
		return err
	}
	return err.said(C.GoStringN(&chars[0], C.int(length)))
}

// ---- a node from the surroundings --------------------------------------------------------------

// NodeFound is a node number from the surroundings.
type NodeFound struct {
	Node int64
	Text string // which source decided, in one sentence
}

// NodeFrom finds a node number for a layout. chain lists sources, with commas, in the order in
// which they are asked; the first that is there decides:
//
//	"7"                the number itself
//	"env:NAME"         an environment variable
//	"file:PATH"        the first line of a file
//	"hostname-ordinal" the number that ends the host's name ("web-3" of a StatefulSet)
//	"ipv4:PREFIX"      the bits after so many bits of the host's private IPv4 address;
//	                   "ipv4:PREFIX@eth0" names an interface
//	"random:FLEET"     a random number: two of a fleet of so many may get the same one, and the text
//	                   says how probable that is
//
// Nothing is looked up in the network. ErrNoNode: no source is there. ErrNodeOutOfRange: the number
// does not fit. ErrInvalidArgument: not a chain, a source holds no number, or several addresses are
// there. ErrNoEntropy, ErrOutOfMemory: the system refused.
func NodeFrom(chain string, layout Layout) (NodeFound, error) {
	var text [C.FLAKE_NODE_TEXT_SIZE]C.char
	chars, length := charsOf(chain)
	node := C.flake_node_from(chars, length, &layout.native, &text[0], C.FLAKE_NODE_TEXT_SIZE)
	sentence := C.GoString((*C.char)(unsafe.Pointer(&text[0])))
	if node < 0 && sentence != "" {
		return NodeFound{}, errorOf(node).said(sentence)
	}
	if node < 0 {
		return NodeFound{}, errorOf(node)
	}
	return NodeFound{int64(node), sentence}, nil
}
