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
	for text, option := range map[string]flakecore.Option{
		"WithMaxWait is 24h0m0.001s; it must be whole milliseconds from 0 to 24h": flakecore.
			WithMaxWait(24*time.Hour + time.Millisecond),
		"WithMaxWait is -1s; it must be whole milliseconds from 0 to 24h": flakecore.WithMaxWait(
			-time.Second),
		"WithMaxWait is 1.5ms; it must be whole milliseconds from 0 to 24h": flakecore.WithMaxWait(
			1500 * time.Microsecond),
		"WithMaxLead is 1ns; it must be whole":                      flakecore.WithMaxLead(1),
		"WithMaxLead is -2562047h47m16.854s; it must be whole":      flakecore.WithMaxLead(leastMs),
		"WithSeqSpreadBits is 13; it must lie in 0..12":             flakecore.WithSeqSpreadBits(13),
		"WithSeqSpreadBits is -1":                                   flakecore.WithSeqSpreadBits(-1),
		`WithMode is "Strict"; it must be one of strict, monotonic`: flakecore.WithMode("Strict"),
		`WithClockSource is ""`:                                     flakecore.WithClockSource(""),
		`WithHostGuard is "off"; it must be one of on, unsafe_off`:  flakecore.WithHostGuard("off"),
		"the test clock was not made by NewTestClock":               flakecore.WithTestClock(nil),
		"an Option is nil":                                          nil,
	} {
		if got := refused(t, flakecore.ErrInvalidArgument, option); !strings.HasPrefix(got,
			"flakecore: "+text) {
			t.Errorf("%s, not %s", got, text)
		}
	}
	refused(t, flakecore.ErrInvalidArgument, flakecore.WithTestClock(&flakecore.TestClock{}))
	refused(t, flakecore.ErrBadLayout, flakecore.WithLayout(flakecore.Layout{}))
}

const leastMs = math.MinInt64 / time.Millisecond * time.Millisecond

func TestALimitThatNoClockReachesIsRefusedWithOneError(t *testing.T) {
	for at, shown := range map[time.Time]string{
		time.UnixMilli(-1): "1969-12-31T23:59:59.999Z",
		{}:                 "0001-01-01T00:00:00.000Z",
		time.Date(2263, 1, 1, 0, 0, 0, 0, time.UTC): "2263-01-01T00:00:00.000Z",
		time.Unix(1<<60, 0):                         "",
		time.Unix(math.MinInt64, 0):                 "",
		time.UnixMilli(math.MaxInt64):               "",
		time.UnixMilli(math.MinInt64 + 1):           "", // means "not given" to the core
	} {
		for name, option := range map[string]flakecore.Option{
			"WithStartFloor": flakecore.WithStartFloor(at), "WithCeiling": flakecore.WithCeiling(at),
		} {
			text := refused(t, flakecore.ErrInvalidArgument, option)
			if !strings.HasPrefix(text, "flakecore: "+name+" is "+shown) ||
				!strings.HasSuffix(text, "; it must lie in 1970..2262") {
				t.Error(text)
			}
		}
	}
}

func TestNoTextNamesAnOptionAsCDoes(t *testing.T) {
	clock := clockAt(t, nowMs)
	gen := open(t, flakecore.WithTestClock(clock), flakecore.WithMode(flakecore.Monotonic),
		flakecore.WithMaxLead(10*time.Millisecond), flakecore.WithSpace("max_wait_ms"),
		flakecore.WithCeiling(clock.Wall().Add(time.Second)))
	defer gen.Close()
	must[int](t)(gen.Fill(make([]flakecore.ID, 9*4096)))
	health := must[flakecore.Health](t)(gen.Health())
	if !strings.Contains(health.Text, "half of WithMaxLead") ||
		!strings.Contains(health.Text, "left below WithCeiling") {
		t.Error(health.Text)
	}
	for err, wanted := range map[*flakecore.Error]string{
		flakecore.ErrExhausted:      "a longer WithMaxWait (in monotonic mode WithMaxLead)",
		flakecore.ErrClockRewound:   "WithStartFloor",
		flakecore.ErrCeilingReached: "WithCeiling",
		flakecore.ErrNodeOutOfRange: "2^NodeBits - 1",
		flakecore.ErrNoRunDir:       "WithHostGuard",
	} {
		if !strings.Contains(err.Text(), wanted) {
			t.Error(err)
		}
	}
	_, err := flakecore.New(flakecore.WithNode(1), flakecore.WithSpace("max_wait_ms"),
		flakecore.WithTestClock(clock), flakecore.WithLayout(layoutOf(t, "40/11/12")))
	if !strings.Contains(err.Error(), `space "max_wait_ms" is open`) { // a name stays as it is
		t.Error(err)
	}
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
	for text, err := range map[string]error{
		"passed is -1ns; it must lie in 0..2562047h":              clock.Advance(-1),
		"passed is 2562047h47m16.854775807s; it must":             clock.Advance(math.MaxInt64),
		"after is -1ns; it must lie in 0..2562047h":               clock.Script(-1, 0),
		"permille is 1000001; it must lie in -1000000..1000000":   clock.SetRate(1_000_001),
		"permille is -9223372036854775808; it must lie in -10000": clock.SetRate(math.MinInt64),
		"wall is 1969-12-31T23:59:59.000Z; it must lie in 1970..": clock.SetWall(time.Unix(-1, 0)),
	} {
		expect(t, err, flakecore.ErrInvalidArgument)
		if !strings.HasPrefix(err.Error(), "flakecore: "+text) {
			t.Error(err)
		}
	}
	for i := 0; i < 16; i++ {
		if err := clock.Script(time.Hour, 0); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, clock.Script(time.Hour, 0), flakecore.ErrInvalidArgument)
}

func TestAClockThatNobodyMadeIsRefused(t *testing.T) {
	for _, clock := range []*flakecore.TestClock{nil, {}} {
		for name, err := range map[string]error{
			"SetWall": clock.SetWall(time.UnixMilli(nowMs)), "SetRate": clock.SetRate(0),
			"Advance": clock.Advance(0), "Script": clock.Script(0, 0),
			"StopSleeps": clock.StopSleeps(true),
		} {
			if !errors.Is(err, flakecore.ErrInvalidArgument) ||
				!strings.Contains(err.Error(), "NewTestClock") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !clock.Wall().IsZero() || clock.Monotonic() != 0 {
			t.Error(clock.Wall(), clock.Monotonic())
		}
	}
}
