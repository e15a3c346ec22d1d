// SPDX-License-Identifier: MIT

package tests

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// The conformance vectors, through the package's own API. What is missing fails.

func TestNoFileOfVectorsIsUnknownHere(t *testing.T) {
	paths := must[[]string](t)(filepath.Glob(vectorFolder + "/*.tsv"))
	for _, path := range paths {
		if vectorColumns[filepath.Base(path)] == "" {
			t.Errorf("%s is not read", path)
		}
	}
	if len(paths) != len(vectorColumns) {
		t.Errorf("%d files, not %d", len(paths), len(vectorColumns))
	}
}

func TestLayoutsHold(t *testing.T) {
	for _, row := range rowsOf(t, "layouts.tsv") {
		layout, err := flakecore.ParseLayout(row.text("text"))
		row.is("status", statusOf(t, err))
		if err != nil {
			row.hasNo("canonical", "time_bits", "time_shift", "node_bits", "node_shift", "seq_bits",
				"seq_shift", "tick_ms", "epoch_ms", "expires_ms", "now_ms", "check")
			continue
		}
		row.is("canonical", layout)
		if layoutOf(t, layout.String()) != layout {
			row.fail("%s means another layout", layout)
		}
		row.is("time_bits", layout.TimeBits())
		row.is("time_shift", layout.TimeShift())
		row.is("node_bits", layout.NodeBits())
		row.is("node_shift", layout.NodeShift())
		row.is("seq_bits", layout.SeqBits())
		row.is("seq_shift", layout.SeqShift())
		row.is("tick_ms", layout.Tick().Milliseconds())
		row.is("epoch_ms", layout.Epoch().UnixMilli())
		row.is("expires_ms", must[time.Time](t)(layout.Expires()).UnixMilli())
		row.is("check", statusOf(t, layout.Check(time.UnixMilli(row.number("now_ms")))))
	}
	note(t, "vectors", "layouts.tsv")
}

// Where an ID or a bound fits an ID, both forms of a call must say the same.
func TestIDsHoldInEveryTimeZone(t *testing.T) { // S39
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	for _, zone := range []string{"UTC", "Asia/Shanghai", "America/New_York"} {
		time.Local = must[*time.Location](t)(time.LoadLocation(zone))
		for _, row := range rowsOf(t, "ids.tsv") {
			layout := layoutOf(t, row.text("layout"))
			if !row.has("decode_status") && !row.has("compose_status") {
				row.fail("it says nothing")
			}
			if row.has("decode_status") {
				checkDecode(t, row, layout)
			}
			if row.has("compose_status") {
				id, err := layout.Compose(time.UnixMilli(row.number("unix_ms")), row.number("node"),
					row.number("sequence"))
				row.is("compose_status", statusOf(t, err))
				if err == nil {
					row.is("id", id)
				}
			}
		}
	}
	note(t, "vectors", "ids.tsv")
}

func checkDecode(t *testing.T, row row, layout flakecore.Layout) {
	t.Helper()
	bits := row.unsigned("id")
	parts, err := layout.DecodeUint64(bits)
	row.is("decode_status", statusOf(t, err))
	if bits < 1<<63 {
		same, sameErr := layout.Decode(flakecore.ID(bits))
		if same != parts || statusOf(t, sameErr) != statusOf(t, err) {
			row.fail("Decode gives %v, %v", same, sameErr)
		}
	}
	if err != nil {
		return
	}
	row.is("unix_ms", parts.UnixMs)
	row.is("tick", parts.Tick)
	row.is("node", parts.Node)
	row.is("sequence", parts.Sequence)
	if row.has("iso") {
		row.is("iso", parts.Time().Format("2006-01-02T15:04:05.000Z07:00"))
	} else if parts.Time().Year() <= 9999 {
		row.fail("%s has no text", parts.Time())
	}
}

func TestBoundsHold(t *testing.T) {
	for _, row := range rowsOf(t, "bounds.tsv") {
		layout := layoutOf(t, row.text("layout"))
		since, until := time.UnixMilli(row.number("from_ms")), time.UnixMilli(row.number("until_ms"))
		low, high, err := layout.BoundsUint64(since, until)
		row.is("status", statusOf(t, err))
		first, last, signedErr := layout.Bounds(since, until)
		if err != nil {
			row.hasNo("min_id", "max_id")
			expect(t, signedErr, err)
			continue
		}
		row.is("min_id", low)
		row.is("max_id", high)
		if high >= 1<<63 {
			expect(t, signedErr, flakecore.ErrNotSupported)
		} else if signedErr != nil || uint64(first) != low || uint64(last) != high {
			row.fail("Bounds gives %d, %d, %v", first, last, signedErr)
		}
	}
	note(t, "vectors", "bounds.tsv")
}

// ---- clock scripts -----------------------------------------------------------------------------

// Every way to an ID waits by itself and must behave the same.
var ways = map[string]func(*flakecore.Generator) (flakecore.ID, error){
	"next": (*flakecore.Generator).Next,
	"context": func(gen *flakecore.Generator) (flakecore.ID, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return gen.NextContext(ctx)
	},
	"range": func(gen *flakecore.Generator) (flakecore.ID, error) {
		ids, err := gen.Range(1)
		return ids.First, err
	},
	"fill": func(gen *flakecore.Generator) (flakecore.ID, error) {
		ids := make([]flakecore.ID, 1)
		_, err := gen.Fill(ids)
		return ids[0], err
	},
	"buffered": func(gen *flakecore.Generator) (flakecore.ID, error) {
		ids, err := flakecore.NewBuffered(gen, 1, time.Hour)
		if err != nil {
			return 0, err
		}
		return ids.Next()
	},
}

// player plays one script with a test clock and at most one open generator.
type player struct {
	t       *testing.T
	space   string
	draw    func(*flakecore.Generator) (flakecore.ID, error)
	clock   *flakecore.TestClock
	gen     *flakecore.Generator
	mark    time.Duration
	biggest flakecore.ID
}

func (player *player) answer(row row, err error) {
	player.t.Helper()
	row.is("expected", statusOf(player.t, err))
}

func (player *player) play(row row) {
	player.t.Helper()
	duration := func(column string) time.Duration { return time.Duration(row.number(column)) }
	wall := func() time.Time { return time.Unix(0, row.number("arg1")) }
	switch row.text("op") {
	case "clock":
		player.clock = must[*flakecore.TestClock](player.t)(flakecore.NewTestClock(wall()))
		player.mark = player.clock.Monotonic()
	case "wall":
		player.answer(row, player.clock.SetWall(wall()))
	case "rate":
		player.answer(row, player.clock.SetRate(row.number("arg1")))
	case "advance":
		player.answer(row, player.clock.Advance(duration("arg1")))
	case "script":
		player.answer(row, player.clock.Script(duration("arg1"), duration("arg2")))
	case "stop_sleeps":
		player.answer(row, player.clock.StopSleeps(row.number("arg1") == 1))
	case "open":
		player.open(row)
	case "close":
		if err := player.gen.Close(); err != nil {
			row.fail("%v", err)
		}
		player.gen = nil
	case "elapsed":
		now := player.clock.Monotonic()
		row.is("expected", (now - player.mark).Nanoseconds())
		player.mark = now
	case "next":
		player.next(row)
	default:
		row.fail("no op that is known")
	}
}

func (player *player) open(row row) {
	player.t.Helper()
	if player.gen != nil {
		row.fail("one is open")
	}
	layout, err := flakecore.ParseLayout(row.text("arg1"))
	if err == nil {
		options := append(optionsOf(row), flakecore.WithLayout(layout),
			flakecore.WithSpace(player.space), flakecore.WithTestClock(player.clock))
		player.gen, err = flakecore.New(options...)
	}
	player.answer(row, err)
	player.biggest = 0
}

func optionsOf(row row) []flakecore.Option {
	var options []flakecore.Option
	if !row.has("arg2") {
		return nil
	}
	for _, given := range strings.Split(row.text("arg2"), ",") {
		name, text, _ := strings.Cut(given, "=")
		if name == "mode" {
			options = append(options, flakecore.WithMode(flakecore.Mode(text)))
			continue
		}
		number := must[int64](row.t)(strconv.ParseInt(text, 10, 64))
		ms := time.Duration(number) * time.Millisecond
		options = append(options, map[string]flakecore.Option{
			"node":            flakecore.WithNode(number),
			"max_wait_ms":     flakecore.WithMaxWait(ms),
			"max_lead_ms":     flakecore.WithMaxLead(ms),
			"start_floor_ms":  flakecore.WithStartFloor(time.UnixMilli(number)),
			"ceiling_ms":      flakecore.WithCeiling(time.UnixMilli(number)),
			"seq_spread_bits": flakecore.WithSeqSpreadBits(number),
		}[name])
	}
	return options
}

func (player *player) next(row row) {
	player.t.Helper()
	var ids []flakecore.ID
	for range make([]struct{}, row.number("arg1")) {
		id, err := player.draw(player.gen)
		player.answer(row, err)
		ids = append(ids, id)
	}
	if row.text("expected") != "ok" {
		row.hasNo("first_id", "last_id")
		return
	}
	rising(player.t, append([]flakecore.ID{}, ids...))
	if ids[0] <= player.biggest {
		row.fail("%d is not above %d", ids[0], player.biggest)
	}
	row.is("first_id", ids[0])
	player.biggest = ids[len(ids)-1]
	row.is("last_id", player.biggest)
}

func TestClockScriptsHold(t *testing.T) {
	for way, draw := range ways {
		t.Run(way, func(t *testing.T) {
			players := map[string]*player{}
			for _, row := range rowsOf(t, "clock.tsv") {
				script := row.text("script")
				if players[script] == nil {
					space := way + "-" + strconv.Itoa(os.Getpid()) + "-" + script
					players[script] = &player{t: t, space: space, draw: draw}
					note(t, "script", script)
				}
				players[script].play(row)
				note(t, "op", row.text("op"))
			}
			for script, player := range players {
				if player.gen != nil {
					t.Errorf("%s does not close", script)
				}
			}
			note(t, "vectors", "clock.tsv")
		})
	}
}
