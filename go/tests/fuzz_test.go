// SPDX-License-Identifier: MIT

package tests

import (
	"encoding/json"
	"math"
	"testing"

	flakecore "github.com/flakecore/flakecore/go"
)

// What is parsed from strangers: refused, or one value with one text.

func FuzzParseLayout(f *testing.F) {
	for _, text := range append(flakecore.Presets(), "41/10/12", "t39s8n16*10ms@1735689600000",
		"41/10/12*1s", "", "t41n10s12@", "99999999999999999999/1/1", "41/10/12\x00") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		layout, err := flakecore.ParseLayout(text)
		if err != nil {
			if expect(t, err, flakecore.ErrBadLayout); layout != (flakecore.Layout{}) {
				t.Fatal("a layout beside an error")
			}
			return
		}
		if layoutOf(t, layout.String()) != layout || layout.TimeBits() < 1 {
			t.Fatalf("%q is %s, which is another one", text, layout)
		}
	})
}

func FuzzDecodeText(f *testing.F) {
	for place, format := range flakecore.Formats() {
		for _, bits := range []uint64{0, 1, 653247040368672768, math.MaxInt64, math.MaxUint64} {
			text, err := flakecore.EncodeUint64(bits, format)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(place, text)
		}
	}
	f.Fuzz(func(t *testing.T, place int, text string) {
		formats := flakecore.Formats()
		format := formats[uint(place)%uint(len(formats))]
		bits, err := flakecore.DecodeTextUint64(text, format)
		if err != nil {
			expect(t, err, flakecore.ErrBadText)
			return
		}
		if again, err := flakecore.EncodeUint64(bits, format); again != text || err != nil {
			t.Fatalf("%q is %d, which is %q: %v", text, bits, again, err)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{"7", `"7"`, "null", "1e3", `"\u0037"`, "9007199254740993", "-1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var id flakecore.ID
		if err := id.UnmarshalJSON(data); err != nil {
			if expect(t, err, flakecore.ErrBadText); id != 0 {
				t.Fatal("an ID beside an error")
			}
			return
		}
		var back flakecore.ID
		text := must[[]byte](t)(json.Marshal(id))
		if err := json.Unmarshal(text, &back); err != nil || back != id || id < 1 {
			t.Fatalf("%q is %d, which is %d: %v", data, id, back, err)
		}
	})
}

func FuzzNodeFrom(f *testing.F) {
	for _, chain := range []string{"7", "env:HOME", "random:3", "ipv4:24@lo", "hostname-ordinal,7",
		"", ",", "9999999999999999999", "file:"} {
		f.Add(chain)
	}
	f.Fuzz(func(t *testing.T, chain string) {
		found, err := flakecore.NodeFrom(chain, flakecore.DefaultLayout())
		if err != nil {
			statusOf(t, err)
		} else if found.Node < 0 || found.Node > 1023 || found.Text == "" {
			t.Fatalf("%q is %+v", chain, found)
		}
	})
}
