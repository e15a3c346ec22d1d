// SPDX-License-Identifier: MIT

package tests

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	flakecore "github.com/flakecore/flakecore/go"
	"pgregory.net/rapid"
)

// IDs as text, in JSON and in databases.

const big = flakecore.ID(653247040368672768) // JavaScript prints 653247040368672800

func TestEveryFormReadsBackAndSortsAsTheIDsDo(t *testing.T) { // S40
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(flakecore.Formats()).Draw(t, "format")
		ids, texts := [2]uint64{}, [2]string{}
		for i := range ids {
			ids[i] = rapid.Uint64().Draw(t, "id")
			texts[i] = must[string](t)(flakecore.EncodeUint64(ids[i], format))
			if back := must[uint64](t)(flakecore.DecodeTextUint64(texts[i], format)); back != ids[i] {
				t.Fatalf("%d comes back as %d", ids[i], back)
			}
			id, err := flakecore.DecodeText(texts[i], format)
			if ids[i] == 0 || ids[i] > math.MaxInt64 {
				expect(t, err, flakecore.ErrBadText)
			} else if text, err := id.Encode(format); text != texts[i] || err != nil {
				t.Fatalf("%s, not %s: %v", text, texts[i], err)
			}
		}
		if format != flakecore.Dec && (len(texts[0]) != len(texts[1]) ||
			(texts[0] < texts[1]) != (ids[0] < ids[1])) {
			t.Fatalf("%v of %v", texts, ids)
		}
	})
}

var noIDs = []string{"", " 7", "7 ", "+7", "-7", "07", "7.5", "\u0667", "7\x00", "\xff",
	strings.Repeat("1", 21), "99999999999999999999", "\u00e9", "0"}

func TestWhatEncodeDoesNotWriteIsRefused(t *testing.T) {
	for _, format := range flakecore.Formats() {
		for _, text := range noIDs {
			_, err := flakecore.DecodeText(text, format)
			expect(t, err, flakecore.ErrBadText)
		}
	}
	_, err := flakecore.ParseID("9223372036854775808")
	expect(t, err, flakecore.ErrBadText)
}

func TestAnUnknownFormatIsRefusedAndTheKnownOnesAreNamed(t *testing.T) {
	for _, format := range []flakecore.Format{"", "Dec", "base64", "0", "\x00"} {
		_, err := big.Encode(format)
		_, textErr := flakecore.DecodeText("1", format)
		for _, err := range []error{err, textErr} {
			expect(t, err, flakecore.ErrInvalidArgument)
			if !strings.Contains(err.Error(), "dec, hex, base32") {
				t.Fatal(err)
			}
		}
	}
}

// ---- JSON --------------------------------------------------------------------------------------

type order struct {
	ID     flakecore.ID            `json:"id"`
	Parent *flakecore.ID           `json:"parent"`
	Root   flakecore.ID            `json:"root,omitempty"`
	ByID   map[flakecore.ID]string `json:"byId,omitempty"`
}

func TestAnIDGoesExactlyThroughJSON(t *testing.T) { // S35
	one := order{ID: big, ByID: map[flakecore.ID]string{big: "x"}}
	data := must[[]byte](t)(json.Marshal(one))
	wanted := `{"id":"653247040368672768","parent":null,"byId":{"653247040368672768":"x"}}`
	if string(data) != wanted {
		t.Fatalf("%s", data)
	}
	var back order
	if err := json.Unmarshal(data, &back); err != nil || back.ID != big || back.Parent != nil ||
		back.ByID[big] != "x" {
		t.Fatalf("%+v, %v", back, err)
	}
	if text := fmt.Sprintf("%v %s %d", big, big, big); text != strings.TrimSpace(strings.Repeat(
		"653247040368672768 ", 3)) {
		t.Fatal(text)
	}
}

func TestANumberInJSONIsReadUpTo53Bits(t *testing.T) {
	var id flakecore.ID
	for text, wanted := range map[string]flakecore.ID{"7": 7, "9007199254740992": 1 << 53,
		`"9007199254740993"`: 1<<53 + 1, ` 7 `: 7, `"\u0037"`: 7, "9223372036854775807": 0,
		`"9223372036854775807"`: math.MaxInt64, "9007199254740993": 0} {
		id = 0
		if err := json.Unmarshal([]byte(text), &id); (err == nil) != (wanted != 0) || id != wanted {
			t.Errorf("%s: %d, %v", text, id, err)
		}
	}
	err := json.Unmarshal([]byte("653247040368672768"), &id)
	if expect(t, err, flakecore.ErrBadText); !strings.Contains(err.Error(), "as strings") {
		t.Fatal(err)
	}
}

func TestWhatIsNoIDInJSONIsRefusedAndChangesNothing(t *testing.T) {
	texts := []string{"null", "true", "false", "0", "-1", "7.0", "1e3", "7.5", `""`, `"0"`, `" 7"`,
		`"07"`, `"-7"`, `"x"`, "[7]", "{}", `"99999999999999999999"`, `"NaN"`, "-0", `"null"`}
	for _, text := range texts {
		one := order{ID: big}
		err := json.Unmarshal([]byte(`{"id":`+text+`}`), &one)
		if !errors.Is(err, flakecore.ErrBadText) || one.ID != big {
			t.Errorf("%s: %v, %d", text, err, one.ID)
		}
	}
	_, err := json.Marshal(order{})
	expect(t, err, flakecore.ErrInvalidArgument)
	var missing order
	if err := json.Unmarshal([]byte(`{"id":"7","parent":null}`), &missing); err != nil ||
		missing.Parent != nil {
		t.Fatal(missing, err)
	}
}

// ---- databases ---------------------------------------------------------------------------------

func TestAnIDGoesExactlyThroughADatabase(t *testing.T) {
	var _ driver.Valuer = big
	value := must[driver.Value](t)(big.Value())
	if value != int64(big) {
		t.Fatal(value)
	}
	for _, source := range []any{int64(big), "653247040368672768", []byte("653247040368672768")} {
		var id flakecore.ID
		if err := id.Scan(source); err != nil || id != big {
			t.Errorf("%T: %d, %v", source, id, err)
		}
	}
}

// echo is a database that answers a query with one row, its arguments.
type echo struct{ driver.Conn }

func (echo) Connect(context.Context) (driver.Conn, error) { return echo{}, nil }
func (echo) Driver() driver.Driver                        { return nil }

func (echo) QueryContext(_ context.Context, _ string, given []driver.NamedValue) (driver.Rows,
	error) {
	return &echoed{make([]string, len(given)), given}, nil
}

func (echo) Close() error { return nil }

type echoed struct {
	columns []string
	rest    []driver.NamedValue
}

func (rows *echoed) Columns() []string { return rows.columns }
func (rows *echoed) Close() error      { return nil }

func (rows *echoed) Next(row []driver.Value) error {
	if len(rows.rest) == 0 {
		return io.EOF
	}
	for i, one := range rows.rest {
		row[i] = one.Value
	}
	rows.rest = nil
	return nil
}

func TestAnErrorOfScanIsASentence(t *testing.T) {
	var id flakecore.ID
	for text, source := range map[string]any{
		"a value of type int is not an ID; select an integer or its digits":             7,
		"NULL is not an ID; where an ID may be missing, scan into the address of a *ID": nil,
	} {
		if err := id.Scan(source); err == nil || err.Error() != "flakecore: "+text {
			t.Error(err)
		}
	}
}

func TestDatabaseSQLTakesIDsAndThoseThatMayBeMissing(t *testing.T) {
	db := sql.OpenDB(echo{})
	defer db.Close()
	var id, text flakecore.ID
	var parent, none *flakecore.ID
	err := db.QueryRow("", big, big.String(), big, nil).Scan(&id, &text, &parent, &none)
	if err != nil || id != big || text != big || *parent != big || none != nil {
		t.Fatal(id, text, parent, none, err)
	}
	err = db.QueryRow("", any(nil)).Scan(&id)
	expect(t, err, flakecore.ErrInvalidArgument)
	err = db.QueryRow("", flakecore.ID(0)).Scan(&id) // older Go keeps its text alone
	if err == nil || !strings.Contains(err.Error(), "0 is not an ID") {
		t.Fatal(err)
	}
}

func TestWhatIsNoIDInADatabaseIsRefusedAndChangesNothing(t *testing.T) {
	for _, source := range []any{nil, int64(0), int64(-1), 7, 7.0, math.NaN(), true, uint64(7), "",
		"0", "x", " 7", []byte(nil), []byte("07"), struct{}{}} {
		id := big
		err := id.Scan(source)
		if !errors.Is(err, flakecore.ErrInvalidArgument) && !errors.Is(err, flakecore.ErrBadText) ||
			id != big {
			t.Errorf("%T %v: %d, %v", source, source, id, err)
		}
	}
}
