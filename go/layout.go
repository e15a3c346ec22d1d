// SPDX-License-Identifier: MIT

package flakecore

// #include <stdlib.h>
// #include "../core/flakecore.h"
import "C"

import (
	"math"
	"time"
	"unsafe"
)

// Layout says how up to 64 bits are divided into time, node and sequence. Make one by ParseLayout.
// Layouts are values: they do not change, and == compares them. The zero Layout is none, and
// whatever takes one refuses it with ErrBadLayout.
type Layout struct {
	native C.flake_layout
}

// Decoded is what is in an ID.
type Decoded struct {
	UnixMs   int64 // start of the ID's tick in Unix ms
	Tick     int64 // ticks since the layout's epoch
	Node     int64 // 0 in a layout without node field
	Sequence int64 // 0 in a layout without sequence field
}

// Time is the start of the ID's tick in UTC, whatever the time zone of the process.
func (parts Decoded) Time() time.Time {
	return time.UnixMilli(parts.UnixMs).UTC()
}

// ParseLayout reads a layout:
//
//	"41/10/12"                     bits of time/node/sequence, ticks of 1 ms
//	"t39s8n16*10ms@1735689600000"  from the highest bit down, tick, epoch in Unix ms
//	"twitter"                      a preset, one of Presets()
//
// ErrBadLayout: anything else.
func ParseLayout(text string) (Layout, error) {
	var layout Layout
	chars, length := charsOf(text)
	if status := C.flake_layout_parse(chars, length, &layout.native); status < 0 {
		return Layout{}, ErrBadLayout.because("%s: %s", shown(text), ErrBadLayout.text)
	}
	return layout, nil
}

// MustParseLayout is ParseLayout for a text that stands in the program. It panics when it is wrong.
func MustParseLayout(text string) Layout {
	layout, err := ParseLayout(text)
	if err != nil {
		panic(err)
	}
	return layout
}

// DefaultLayout is "snowflake": 41/10/12, ticks of 1 ms since 2025-01-01T00:00:00Z.
func DefaultLayout() Layout {
	return defaultLayout
}

var defaultLayout = MustParseLayout("snowflake")

// Presets gives the names of all presets; the first is the default.
func Presets() []string {
	var names []string
	for {
		name := C.flake_layout_preset(C.int32_t(len(names)))
		if name == nil {
			return names
		}
		names = append(names, C.GoString(name))
	}
}

// charsOf lends the bytes of a text to a call of C; they need no NUL.
func charsOf(text string) (*C.char, C.size_t) {
	bytes := append([]byte(text), 0)
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(len(text))
}

// ---- what it is --------------------------------------------------------------------------------

// TimeBits is the width of the time field in bits, 1..48.
func (layout Layout) TimeBits() int { return int(layout.native.time_bits) }

// TimeShift is the position of the lowest bit of the time field.
func (layout Layout) TimeShift() int { return int(layout.native.time_shift) }

// NodeBits is the width of the node field in bits, 0..32.
func (layout Layout) NodeBits() int { return int(layout.native.node_bits) }

// NodeShift is the position of the lowest bit of the node field.
func (layout Layout) NodeShift() int { return int(layout.native.node_shift) }

// SeqBits is the width of the sequence field in bits, 0..32.
func (layout Layout) SeqBits() int { return int(layout.native.seq_bits) }

// SeqShift is the position of the lowest bit of the sequence field.
func (layout Layout) SeqShift() int { return int(layout.native.seq_shift) }

// Tick is the length of a tick, 1 ms to 10 s.
func (layout Layout) Tick() time.Duration {
	return time.Duration(layout.native.tick_ms) * time.Millisecond
}

// Epoch is the start of tick 0, in UTC.
func (layout Layout) Epoch() time.Time {
	return time.UnixMilli(int64(layout.native.epoch_ms)).UTC()
}

// Expires is the first moment that the time field can no longer express, in UTC.
// ErrBadLayout: the zero Layout.
func (layout Layout) Expires() (time.Time, error) {
	ms := C.flake_layout_expires_ms(&layout.native)
	if ms < 0 {
		return time.Time{}, errorOf(ms)
	}
	return time.UnixMilli(int64(ms)).UTC(), nil
}

// Stride is what lies between two IDs that follow each other in a tick: 1, or more.
// ErrNotSupported: the sequence is bit 63. ErrBadLayout: the zero Layout.
func (layout Layout) Stride() (int64, error) {
	stride := C.flake_layout_stride(&layout.native)
	if stride < 0 {
		return 0, errorOf(stride)
	}
	return int64(stride), nil
}

// Check returns an error unless a generator can use this layout at the time now.
//
// ErrNotSupported: it only decodes. ErrBeforeEpoch: the epoch is in the future. ErrTimeUsedUp: its
// time field has ended. ErrBadLayout: the zero Layout.
func (layout Layout) Check(now time.Time) error {
	if layout == (Layout{}) {
		return ErrBadLayout
	}
	ms, err := unixMs("now", now, roundUp)
	if err != nil {
		return err
	}
	if status := C.flake_layout_check(&layout.native, ms); status < 0 {
		return errorOf(C.int64_t(status))
	}
	return nil
}

// String is the full form of its text, "t41n10s12@1735689600000"; "" of the zero Layout.
func (layout Layout) String() string {
	var chars [C.FLAKE_LAYOUT_TEXT_SIZE]C.char
	length := C.flake_layout_format(&layout.native, &chars[0], C.FLAKE_LAYOUT_TEXT_SIZE)
	return C.GoStringN(&chars[0], C.int(max0(int64(length))))
}

// MarshalText gives its full form. ErrBadLayout: the zero Layout.
func (layout Layout) MarshalText() ([]byte, error) {
	if text := layout.String(); text != "" {
		return []byte(text), nil
	}
	return nil, ErrBadLayout
}

// UnmarshalText is ParseLayout.
func (layout *Layout) UnmarshalText(text []byte) error {
	parsed, err := ParseLayout(string(text))
	if err == nil {
		*layout = parsed
	}
	return err
}

func max0(number int64) int64 {
	if number < 0 {
		return 0
	}
	return number
}

// ---- IDs ---------------------------------------------------------------------------------------

// Decode takes an ID apart. ErrInvalidArgument: not an ID (0 or negative), or it has bits above the
// layout's fields. ErrBadLayout: the zero Layout.
func (layout Layout) Decode(id ID) (Decoded, error) {
	if err := id.check(); err != nil {
		return Decoded{}, err
	}
	return layout.DecodeUint64(uint64(id))
}

// DecodeUint64 is Decode for the unsigned IDs of layouts that fill 64 bits.
func (layout Layout) DecodeUint64(id uint64) (Decoded, error) {
	var parts C.flake_decoded
	if status := C.flake_decode(&layout.native, C.uint64_t(id), &parts); status < 0 {
		return Decoded{}, layout.whyNoParts(C.int64_t(status), id)
	}
	return Decoded{
		UnixMs: int64(parts.unix_ms), Tick: int64(parts.tick), Node: int64(parts.node),
		Sequence: int64(parts.sequence),
	}, nil
}

func (layout Layout) whyNoParts(status C.int64_t, id uint64) error {
	err := errorOf(status)
	switch {
	case err != ErrInvalidArgument:
		return err
	case id == 0:
		return err.because("0 is not an ID")
	}
	return err.because("%d is not an ID of layout %s; it has more than %d bits", id, layout,
		layout.TimeBits()+layout.NodeBits()+layout.SeqBits())
}

// Compose puts an ID together, the inverse of Decode. It says nothing of its being unique. The time
// must be the start of a tick.
//
// ErrBeforeEpoch, ErrTimeUsedUp, ErrNodeOutOfRange: that part does not fit. ErrInvalidArgument: the
// sequence does not fit, the time lies inside a tick, or the ID would be 0. ErrNotSupported: the
// layout has 64 bits. ErrBadLayout: the zero Layout.
func (layout Layout) Compose(at time.Time, node, sequence int64) (ID, error) {
	if layout == (Layout{}) {
		return 0, ErrBadLayout
	}
	ms, err := unixMs("time", at, exactly)
	if err != nil {
		return 0, err
	}
	id := C.flake_compose(&layout.native, ms, C.int64_t(node), C.int64_t(sequence))
	if id < 0 {
		return 0, layout.whyNoID(id, at, node, sequence)
	}
	return ID(id), nil
}

func (layout Layout) whyNoID(status C.int64_t, at time.Time, node, sequence int64) error {
	err, epoch := errorOf(status), layout.Epoch()
	sinceTick := (at.UnixMilli() - epoch.UnixMilli()) % int64(layout.native.tick_ms)
	switch {
	case err == ErrNodeOutOfRange:
		return doesNotFit(node, layout)
	case err == ErrBeforeEpoch:
		return err.because("time is %s, before the layout's epoch; give %s or later", shownTime(at),
			shownTime(epoch))
	case err == ErrTimeUsedUp:
		return err.because("time is %s, after the end of the time field; give one before %s",
			shownTime(at), shownMs(C.flake_layout_expires_ms(&layout.native)))
	case err != ErrInvalidArgument:
		return err
	case sequence < 0 || uint64(sequence) > greatest(layout.SeqBits()):
		return err.because("sequence is %d; it must lie in 0..%d", sequence, greatest(layout.SeqBits()))
	case sinceTick != 0:
		return err.because("time is %s, inside a tick of %s; give its start, %s", shownTime(at),
			layout.Tick(), shownMs(C.int64_t(at.UnixMilli()-sinceTick)))
	}
	return err.because("time, node and sequence are the first ones of the layout; that ID would be 0")
}

// greatest is the largest number of a field.
func greatest(bits int) uint64 {
	return 1<<bits - 1
}

// Bounds gives the smallest and the largest ID with since <= start of its tick < until, for
// "WHERE id BETWEEN low AND high".
//
// ErrInvalidArgument: no tick starts in the range. ErrBeforeEpoch: since is before the epoch.
// ErrTimeUsedUp: until is after the time field's end. ErrNotSupported: time is not on top, or the
// IDs of this layout need BoundsUint64. ErrBadLayout: the zero Layout.
func (layout Layout) Bounds(since, until time.Time) (low, high ID, err error) {
	first, last, err := layout.BoundsUint64(since, until)
	if err != nil {
		return 0, 0, err
	}
	if last > math.MaxInt64 {
		return 0, 0, ErrNotSupported.because(
			"an ID of layout %s may need 64 bits; take BoundsUint64", layout)
	}
	return ID(first), ID(last), nil
}

// BoundsUint64 is Bounds for the unsigned IDs of layouts that fill 64 bits.
func (layout Layout) BoundsUint64(since, until time.Time) (low, high uint64, err error) {
	if layout == (Layout{}) {
		return 0, 0, ErrBadLayout
	}
	sinceMs, err := unixMs("since", since, roundUp)
	if err != nil {
		return 0, 0, err
	}
	untilMs, err := unixMs("until", until, roundUp)
	if err != nil {
		return 0, 0, err
	}
	var first, last C.uint64_t
	status := C.flake_bounds(&layout.native, sinceMs, untilMs, &first, &last)
	if status < 0 {
		return 0, 0, layout.whyNoBounds(C.int64_t(status), since, until)
	}
	return uint64(first), uint64(last), nil
}

func (layout Layout) whyNoBounds(status C.int64_t, since, until time.Time) error {
	err := errorOf(status)
	switch err {
	case ErrBeforeEpoch:
		return err.because("since is %s, before the layout's epoch; give %s or later",
			shownTime(since), shownTime(layout.Epoch()))
	case ErrTimeUsedUp:
		return err.because("until is %s, after the end of the time field; give %s or earlier",
			shownTime(until), shownMs(C.flake_layout_expires_ms(&layout.native)))
	case ErrInvalidArgument:
		return err.because("no tick of %s starts from %s until %s; give a later until",
			layout.Tick(), shownTime(since), shownTime(until))
	}
	return err
}

// shownTime is a time in UTC, in ms, or, between two of them, in ns.
func shownTime(at time.Time) string {
	if at.Nanosecond()%1e6 != 0 {
		return at.UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

func shownMs(ms C.int64_t) string {
	return shownTime(time.UnixMilli(int64(ms)))
}

// ---- times -------------------------------------------------------------------------------------

// What to do with a time between two milliseconds.
type rounding int

const (
	exactly rounding = iota
	roundUp
	roundDown
)

// unixMs is a time in whole Unix ms. ErrBeforeEpoch, ErrTimeUsedUp: beyond what any layout can
// express. ErrInvalidArgument: between two ms, where it must be exactly one.
func unixMs(name string, at time.Time, between rounding) (C.int64_t, error) {
	ms := at.UnixMilli() // rounded down
	switch held := time.UnixMilli(ms).Unix() == at.Unix() && ms < math.MaxInt64; {
	case !held && at.Unix() < 0:
		return 0, ErrBeforeEpoch.because("%s is %s, before every epoch", name, shownTime(at))
	case !held:
		return 0, ErrTimeUsedUp.because("%s is %s, after the end of every layout", name, shownTime(at))
	}
	if at.Nanosecond()%1e6 != 0 {
		switch between {
		case exactly:
			return 0, ErrInvalidArgument.because("%s is %s; it must be a whole millisecond", name,
				shownTime(at))
		case roundUp:
			ms++
		}
	}
	return C.int64_t(ms), nil
}
