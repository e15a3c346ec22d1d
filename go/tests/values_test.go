// SPDX-License-Identifier: MIT

package tests

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
	"pgregory.net/rapid"
)

// Every value is taken as it is or refused with a typed error; nothing is masked or rounded.

// refused opens node 1 with an option that must be refused, and gives its text.
func refused(t failer, wanted error, options ...flakecore.Option) string {
	t.Helper()
	all := append([]flakecore.Option{flakecore.WithNode(1), flakecore.WithSpace(freshSpace()),
		flakecore.WithTestClock(clockAt(t, nowMs))}, options...)
	gen, err := flakecore.New(all...)
	if expect(t, err, wanted); gen != nil {
		t.Fatalf("%v beside an error", gen)
	}
	return err.Error()
}

func TestANodeThatFitsIsUsedAsItIs(t *testing.T) { // S31, S38
	for _, node := range []int64{0, 1, 16, 1023} {
		gen := open(t, flakecore.WithNode(node), flakecore.WithTestClock(clockAt(t, nowMs)))
		parts := must[flakecore.Decoded](t)(drawn(t, gen, 1)[0].Decode())
		if parts.Node != node || gen.Node() != node || parts.Sequence != 0 {
			t.Fatal(parts, gen)
		}
	}
}

func TestANodeThatDoesNotFitIsRefused(t *testing.T) { // S3, S31
	nodes := []int64{1024, 70000, -1, 1 << 31, 1 << 32, 1221865536, 1<<53 + 1, math.MaxInt64,
		math.MinInt64, math.MinInt64 + 1, -(1 << 31)}
	for _, node := range nodes {
		text := refused(t, flakecore.ErrNodeOutOfRange, flakecore.WithNode(node))
		if !strings.Contains(text, "does not fit layout t41n10s12@1735689600000; give a number in 0") {
			t.Fatal(text)
		}
		_, err := flakecore.DefaultLayout().Compose(time.UnixMilli(nowMs), node, 0)
		expect(t, err, flakecore.ErrNodeOutOfRange)
	}
	text := refused(t, flakecore.ErrNodeOutOfRange, flakecore.WithNode(-3),
		flakecore.WithLayout(layoutOf(t, "41/0/12")))
	if !strings.Contains(text, "has no node field") {
		t.Fatal(text)
	}
}

func TestAnyWholeNumberAsANodeIsUsedOrRefused(t *testing.T) {
	layout := flakecore.DefaultLayout()
	rapid.Check(t, func(t *rapid.T) {
		node := rapid.Int64().Draw(t, "node")
		id, err := layout.Compose(time.UnixMilli(nowMs), node, 1)
		if node < 0 || node > 1023 {
			expect(t, err, flakecore.ErrNodeOutOfRange)
		} else if parts, err := layout.Decode(id); err != nil || parts.Node != node {
			t.Fatalf("%v, %v", parts, err)
		}
	})
}

func TestNoNodeIsAnErrorThatSaysWhatToDo(t *testing.T) { // S7
	_, err := flakecore.New()
	expect(t, err, flakecore.ErrNoNode)
	if !strings.Contains(err.Error(), "there is no default") {
		t.Fatal(err)
	}
}

func TestATextIsAChainOfSources(t *testing.T) {
	for chain, node := range map[string]int64{"7": 7, "0": 0, "env:NOPE_NOPE,1023": 1023} {
		if gen := open(t, flakecore.WithNodeFrom(chain)); gen.Node() != node {
			t.Fatal(gen)
		}
	}
}

func TestAWrongChainIsRefused(t *testing.T) {
	wrong := map[error][]string{
		flakecore.ErrInvalidArgument: {"", " 7", "7 ", "0x7", "-1", "7.5", "NaN", "7\x00", "\u0667",
			"\xff", "random", "null", "true"},
		flakecore.ErrNodeOutOfRange: {"1024", "70000", "1221865536"},
		flakecore.ErrNoNode:         {"env:NOPE_NOPE", "file:/nope/nope"},
	}
	for wanted, chains := range wrong {
		for _, chain := range chains {
			if text := refused(t, wanted, flakecore.WithNodeFrom(chain)); text == "" {
				t.Fatalf("%q is refused without a word", chain)
			}
			_, err := flakecore.NodeFrom(chain, flakecore.DefaultLayout())
			expect(t, err, wanted)
		}
	}
	_, err := flakecore.NodeFrom("7", flakecore.Layout{})
	expect(t, err, flakecore.ErrBadLayout)
}

func TestARandomNodeIsTakenOnlyWhenAskedForAndSaysTheOdds(t *testing.T) { // S11
	found, err := flakecore.NodeFrom("random:10", flakecore.DefaultLayout())
	if err != nil || found.Node < 0 || found.Node > 1023 || !strings.Contains(found.Text, "%") {
		t.Fatal(found, err)
	}
}

func TestAWrongOptionIsRefusedAndExplained(t *testing.T) {
	before1970 := time.UnixMilli(-1).UTC()
	for text, option := range map[string]flakecore.Option{
		"max_wait_ms is 86400001; it must lie in 0..86400000": flakecore.WithMaxWait(
			24*time.Hour + time.Millisecond),
		"max_wait_ms is -1; it must lie in 0..86400000": flakecore.WithMaxWait(-time.Millisecond),
		"max_wait is 1.5ms; it must be whole milliseconds": flakecore.WithMaxWait(
			1500 * time.Microsecond),
		"max_lead is 1ns; it must be whole milliseconds": flakecore.WithMaxLead(1),
		"seq_spread_bits is 13; it must lie in 0..12":    flakecore.WithSeqSpreadBits(13),
		"seq_spread_bits is -1":                          flakecore.WithSeqSpreadBits(-1),
		`mode is "Strict"; it must be one of strict, monotonic`: flakecore.WithMode(
			"Strict"),
		`clock_source is ""`: flakecore.WithClockSource(""),
		`host_guard is "off"; it must be one of on, unsafe_off`: flakecore.WithHostGuard("off"),
		"the test clock is nil":                                 flakecore.WithTestClock(nil),
		"an Option is nil":                                      nil,
		"start_floor is 1969-12-31":                             flakecore.WithStartFloor(before1970),
		"ceiling is 1969-12-31":                                 flakecore.WithCeiling(before1970),
		"ceiling is 0001-01-01":                                 flakecore.WithCeiling(time.Time{}),
	} {
		if got := refused(t, flakecore.ErrInvalidArgument, option); !strings.HasPrefix(got,
			"flakecore: "+text) {
			t.Errorf("%s, not %s", got, text)
		}
	}
	refused(t, flakecore.ErrBadLayout, flakecore.WithLayout(flakecore.Layout{}))
}

func TestOfTwoOptionsTheLaterOneCounts(t *testing.T) {
	gen := open(t, flakecore.WithNodeFrom("5"), flakecore.WithNode(6), flakecore.WithSpace("x"),
		flakecore.WithSpace(freshSpace()))
	if gen.Node() != 6 || gen.Space() == "x" || gen.NodeText() != "" {
		t.Fatal(gen)
	}
}

func TestASpaceThatIsNoNameIsRefused(t *testing.T) {
	for _, space := range []string{"", " ", ".x", "a/b", "a\x00b", "ab\x00", "\u00e9", "\xff",
		strings.Repeat("x", 64), strings.Repeat("x", 10_000), "a\nb"} {
		text := refused(t, flakecore.ErrInvalidArgument, flakecore.WithSpace(space))
		if !strings.Contains(text, "is not a name") {
			t.Fatal(text)
		}
	}
	longest := strings.Repeat("x", 63-len(freshSpace())) + freshSpace()
	if gen := open(t, flakecore.WithSpace(longest[len(longest)-63:])); len(gen.Space()) != 63 {
		t.Fatal(gen)
	}
}

func TestWhatIsNoIDIsRefusedEverywhere(t *testing.T) {
	for _, id := range []flakecore.ID{0, -1, math.MinInt64} {
		calls := map[string]error{}
		_, calls["Decode"] = id.Decode()
		_, calls["Layout.Decode"] = flakecore.DefaultLayout().Decode(id)
		_, calls["Time"] = id.Time()
		_, calls["Encode"] = id.Encode(flakecore.Hex)
		_, calls["MarshalText"] = id.MarshalText()
		_, calls["MarshalJSON"] = id.MarshalJSON()
		_, calls["Value"] = id.Value()
		for name, err := range calls {
			if !errors.Is(err, flakecore.ErrInvalidArgument) {
				t.Errorf("%s of %d: %v", name, id, err)
			}
		}
	}
	_, err := flakecore.ID(math.MaxInt64).Decode()
	if err != nil {
		t.Fatal(err) // 63 bits of the default layout
	}
	_, err = layoutOf(t, "js53").Decode(math.MaxInt64)
	expect(t, err, flakecore.ErrInvalidArgument)
	_, err = flakecore.DefaultLayout().DecodeUint64(math.MaxUint64)
	expect(t, err, flakecore.ErrInvalidArgument)
}

func TestTheTestClockRefusesWhatItCannotHold(t *testing.T) {
	clock := clockAt(t, 0)
	for _, wall := range []time.Time{{}, time.Unix(-1, 0), time.Unix(0, math.MaxInt64).Add(1),
		time.UnixMilli(math.MaxInt64), time.UnixMilli(math.MinInt64)} {
		_, err := flakecore.NewTestClock(wall)
		expect(t, err, flakecore.ErrInvalidArgument)
		expect(t, clock.SetWall(wall), flakecore.ErrInvalidArgument)
	}
	expect(t, clock.Advance(-1), flakecore.ErrInvalidArgument)
	expect(t, clock.Script(-1, 0), flakecore.ErrInvalidArgument)
	expect(t, clock.SetRate(1_000_001), flakecore.ErrInvalidArgument)
	expect(t, clock.SetRate(math.MinInt64), flakecore.ErrInvalidArgument)
	for i := 0; i < 16; i++ {
		if err := clock.Script(time.Hour, 0); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, clock.Script(time.Hour, 0), flakecore.ErrInvalidArgument)
}
