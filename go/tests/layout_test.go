// SPDX-License-Identifier: MIT

package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
	"pgregory.net/rapid"
)

// Layouts, and what follows for IDs that exist already.

func TestDecodeIsTheInverseOfCompose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timeBits := rapid.IntRange(30, 43).Draw(t, "time")
		nodeBits := rapid.IntRange(0, 16).Draw(t, "node bits")
		seqBits := rapid.IntRange(0, 63-timeBits-nodeBits).Draw(t, "sequence bits")
		if seqBits > 16 {
			seqBits = 16
		}
		layout := layoutOf(t, fmt.Sprintf("%d/%d/%d", timeBits, nodeBits, seqBits))
		wanted := flakecore.Decoded{
			Tick:     rapid.Int64Range(1, 1<<timeBits-1).Draw(t, "tick"),
			Node:     rapid.Int64Range(0, 1<<nodeBits-1).Draw(t, "node"),
			Sequence: rapid.Int64Range(0, 1<<seqBits-1).Draw(t, "sequence"),
		}
		at := layout.Epoch().Add(time.Duration(0))
		at = time.UnixMilli(at.UnixMilli() + wanted.Tick*layout.Tick().Milliseconds())
		wanted.UnixMs = at.UnixMilli()
		id := must[flakecore.ID](t)(layout.Compose(at, wanted.Node, wanted.Sequence))
		if parts := must[flakecore.Decoded](t)(layout.Decode(id)); parts != wanted ||
			!parts.Time().Equal(at) {
			t.Fatalf("%v, not %v", parts, wanted)
		}
		low, high, err := layout.Bounds(at, at.Add(time.Millisecond))
		if err != nil || id < low || id > high {
			t.Fatalf("%d is not in %d..%d, %v", id, low, high, err)
		}
	})
}

func TestAnyTextIsALayoutOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if layout, err := flakecore.ParseLayout(text); err == nil {
			if layoutOf(t, layout.String()) != layout {
				t.Fatalf("%s means another one", layout)
			}
		} else if expect(t, err, flakecore.ErrBadLayout); !strings.Contains(err.Error(), "41/10/12") {
			t.Fatalf("%v", err)
		}
	})
}

func TestItIsAValue(t *testing.T) {
	layout := layoutOf(t, "41/10/12")
	if layout != flakecore.DefaultLayout() || layout == layoutOf(t, "twitter") {
		t.Fatal("not equal")
	}
	if byLayout := map[flakecore.Layout]int{layout: 1}; byLayout[flakecore.DefaultLayout()] != 1 {
		t.Fatal("no key")
	}
	data := must[[]byte](t)(json.Marshal(map[string]flakecore.Layout{"layout": layout}))
	if string(data) != `{"layout":"t41n10s12@1735689600000"}` {
		t.Fatalf("%s", data)
	}
	var read struct{ Layout flakecore.Layout }
	if err := json.Unmarshal(data, &read); err != nil || read.Layout != layout {
		t.Fatal(read, err)
	}
	err := json.Unmarshal([]byte(`{"Layout": "41/10/14"}`), &read)
	if expect(t, err, flakecore.ErrBadLayout); read.Layout != layout {
		t.Fatal("a wrong text changed it")
	}
}

func TestTheZeroLayoutIsNone(t *testing.T) {
	var none flakecore.Layout
	now := time.UnixMilli(nowMs)
	results := map[string]error{"Check": none.Check(now)}
	_, results["Decode"] = none.Decode(1)
	_, results["Compose"] = none.Compose(now, 0, 0)
	_, _, results["Bounds"] = none.Bounds(now, now.Add(time.Hour))
	_, results["Expires"] = none.Expires()
	_, results["Stride"] = none.Stride()
	_, results["MarshalText"] = none.MarshalText()
	_, results["Compose of no time"] = none.Compose(time.Time{}.Add(1), -1, -1)
	results["Check of no time"] = none.Check(time.Unix(math.MinInt64, 0))
	_, _, results["Bounds of no time"] = none.Bounds(time.Unix(math.MinInt64, 0), now)
	for name, err := range results {
		if !errors.Is(err, flakecore.ErrBadLayout) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if none.String() != "" {
		t.Error(none)
	}
}

func TestAWrongTextInTheProgramPanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, flakecore.ErrBadLayout) {
			t.Error(err)
		}
	}()
	flakecore.MustParseLayout("41/10/14")
}

func TestThePresetsAreLayouts(t *testing.T) {
	names := flakecore.Presets()
	if names[0] != "snowflake" || len(names) != 10 {
		t.Fatal(names)
	}
	for _, name := range names {
		layoutOf(t, name)
	}
}

func TestExpiryAndTimesAreInUTC(t *testing.T) {
	at := must[time.Time](t)(flakecore.DefaultLayout().Expires())
	if at != time.Date(2094, 9, 7, 15, 47, 35, 552e6, time.UTC) {
		t.Fatal(at)
	}
	discord := layoutOf(t, "discord")
	parts := must[flakecore.Decoded](t)(discord.Decode(175928847299117063))
	if parts.Time() != time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC) || parts.Node != 32 ||
		parts.Sequence != 7 {
		t.Fatal(parts)
	}
	epoch := layoutOf(t, "snowflake").Epoch()
	if epoch != time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) {
		t.Fatal(epoch)
	}
}

func TestBetweenTwoMillisecondsBoundsRoundAndComposeRefuses(t *testing.T) { // S34
	layout, now := flakecore.DefaultLayout(), time.UnixMilli(nowMs)
	low, high, err := layout.Bounds(now.Add(-time.Microsecond), now.Add(time.Microsecond))
	wantedLow, wantedHigh, wantedErr := layout.Bounds(now, time.UnixMilli(nowMs+1))
	if low != wantedLow || high != wantedHigh || err != nil || wantedErr != nil {
		t.Fatal(low, high, err)
	}
	_, err = layout.Compose(now.Add(time.Microsecond), 1, 2)
	expect(t, err, flakecore.ErrInvalidArgument)
	if !strings.Contains(err.Error(), "whole millisecond") {
		t.Fatal(err)
	}
}

func TestBoundsThatCannotBeAreToldWithWhatCan(t *testing.T) {
	layout, now := flakecore.DefaultLayout(), time.UnixMilli(nowMs)
	end := must[time.Time](t)(layout.Expires())
	for _, wrong := range []struct {
		since, until time.Time
		kind         error
		text         string
	}{
		{now.Add(100), now.Add(200), flakecore.ErrInvalidArgument, "no tick of 1ms " +
			"starts from 2025-06-15T15:06:40.000000100Z until 2025-06-15T15:06:40.000000200Z;"},
		{now, now, flakecore.ErrInvalidArgument, "from 2025-06-15T15:06:40.000Z until 2025-06"},
		{now, now.Add(-1), flakecore.ErrInvalidArgument, "give a later until"},
		{time.UnixMilli(0), now, flakecore.ErrBeforeEpoch,
			"since is 1970-01-01T00:00:00.000Z, before the layout's epoch; give 2025-01-01T00:00:00.000Z"},
		{now, end.Add(time.Hour), flakecore.ErrTimeUsedUp,
			"until is 2094-09-07T16:47:35.552Z, after the end of the time field; give 2094-09-07T15:47"},
	} {
		_, _, err := layout.Bounds(wrong.since, wrong.until)
		expect(t, err, wrong.kind)
		if !strings.Contains(err.Error(), wrong.text) {
			t.Error(err)
		}
	}
}

func TestWhatCannotBeComposedOrDecodedIsToldWithWhatCan(t *testing.T) {
	layout, now := layoutOf(t, "39/8/16*10ms"), time.UnixMilli(nowMs)
	compose := func(at time.Time, node, sequence int64) error {
		_, err := layout.Compose(at, node, sequence)
		return err
	}
	decode := func(id uint64) error {
		_, err := layoutOf(t, "30/3/3").DecodeUint64(id)
		return err
	}
	for text, err := range map[string]error{
		"sequence is 65536; it must lie in 0..65535":         compose(now, 1, 65536),
		"sequence is -1; it must lie in 0..65535":            compose(now, 1, -1),
		"node 256 does not fit layout t39n8s16*10ms":         compose(now, 256, 1),
		"time, node and sequence are the first ones":         compose(layout.Epoch(), 0, 0),
		"time is 2024-12-31T23:59:59.999Z, before the":       compose(layout.Epoch().Add(-1e6), 0, 0),
		"time is 2400-01-01T00:00:00.000Z, after the end of": compose(time.Unix(13569465600, 0), 0, 0),
		"time is 2025-06-15T15:06:40.007Z, inside a tick of 10ms; give its start, " +
			"2025-06-15T15:06:40.000Z": compose(now.Add(7e6), 1, 1),
		"0 is not an ID": decode(0),
		"68719476736 is not an ID of layout t30n3s3@1735689600000; it has more than 36 bits": decode(
			1 << 36),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "flakecore: "+text) {
			t.Errorf("%v, not %s", err, text)
		}
	}
}

func TestATimeBeyondEveryLayoutIsRefused(t *testing.T) { // S30
	layout, now := flakecore.DefaultLayout(), time.UnixMilli(nowMs)
	for at, wanted := range map[time.Time]error{
		{}:                               flakecore.ErrBeforeEpoch,
		time.UnixMilli(0):                flakecore.ErrBeforeEpoch,
		time.Unix(math.MinInt64, 0):      flakecore.ErrBeforeEpoch,
		time.Unix(-1<<60, 0):             flakecore.ErrBeforeEpoch,
		time.Unix(1<<60, 0):              flakecore.ErrTimeUsedUp,
		time.UnixMilli(1 << 62):          flakecore.ErrTimeUsedUp,
		layout.Epoch().AddDate(-1, 0, 0): flakecore.ErrBeforeEpoch,
	} {
		_, err := layout.Compose(at, 1, 2)
		if !errors.Is(err, wanted) {
			t.Errorf("%s: %v", at, err)
		}
		if wanted == error(flakecore.ErrBeforeEpoch) {
			_, _, err = layout.Bounds(at, now)
		} else {
			_, _, err = layout.Bounds(now, at)
		}
		if !errors.Is(err, wanted) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestCheckSaysWhetherItCanGenerate(t *testing.T) {
	now := time.UnixMilli(nowMs)
	for text, wanted := range map[string]error{
		"snowflake": nil, "instagram": flakecore.ErrNotSupported,
		"41/10/12@4102444800000": flakecore.ErrBeforeEpoch, "30/10/12": flakecore.ErrTimeUsedUp,
	} {
		if err := layoutOf(t, text).Check(now); !errors.Is(err, wanted) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestJs53StaysBelowTwoToThe53(t *testing.T) { // S36
	layout := layoutOf(t, "js53")
	last := must[time.Time](t)(layout.Expires()).Add(-layout.Tick())
	id, err := layout.Compose(last, 1<<layout.NodeBits()-1, 1<<layout.SeqBits()-1)
	if err != nil || id != 1<<53-1 {
		t.Fatal(id, err)
	}
}
