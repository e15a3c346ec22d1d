// SPDX-License-Identifier: MIT

package tests

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Reads the conformance vectors as bindings/vectors/README.md says.
const vectorFolder = "../../bindings/vectors"

// Each file that is there must be read by some test: file, and the names of its columns.
var vectorColumns = map[string]string{
	"layouts.tsv": "text status canonical time_bits time_shift node_bits node_shift seq_bits " +
		"seq_shift tick_ms epoch_ms expires_ms now_ms check why",
	"ids.tsv":    "layout id decode_status unix_ms tick node sequence iso compose_status why",
	"bounds.tsv": "layout from_ms until_ms status min_id max_id why",
	"clock.tsv":  "script step op arg1 arg2 expected first_id last_id why",
}

type row struct {
	t      *testing.T
	place  string
	fields map[string]string
}

func (row row) fail(format string, values ...any) {
	row.t.Helper()
	row.t.Fatalf("%s: %s: %s", row.place, row.fields["why"], fmt.Sprintf(format, values...))
}

func (row row) has(column string) bool {
	return row.fields[column] != "-"
}

func (row row) text(column string) string {
	row.t.Helper()
	if !row.has(column) {
		row.fail("%s has no value", column)
	}
	text, err := unescaped(row.fields[column])
	if err != nil {
		row.fail("%v", err)
	}
	return text
}

func (row row) number(column string) int64 {
	row.t.Helper()
	number, err := strconv.ParseInt(row.fields[column], 10, 64)
	if err != nil {
		row.fail("%v", err)
	}
	return number
}

func (row row) unsigned(column string) uint64 {
	row.t.Helper()
	number, err := strconv.ParseUint(row.fields[column], 10, 64)
	if err != nil {
		row.fail("%v", err)
	}
	return number
}

// is fails unless a column says what was found.
func (row row) is(column string, found any) {
	row.t.Helper()
	if fmt.Sprint(found) != row.text(column) {
		row.fail("%s is %v, not %s", column, found, row.text(column))
	}
}

// hasNo is of a row that is refused: nothing else is said.
func (row row) hasNo(columns ...string) {
	row.t.Helper()
	for _, column := range columns {
		if row.has(column) {
			row.fail("%s has a value", column)
		}
	}
}

// unescaped undoes the escapes in one pass: \xNN is a byte, \\ a backslash, \e nothing.
func unescaped(field string) (string, error) {
	var out []byte
	for at := 0; at < len(field); {
		switch rest := field[at:]; {
		case rest[0] != '\\' && rest[0] >= '!' && rest[0] <= '~':
			out, at = append(out, rest[0]), at+1
		case strings.HasPrefix(rest, `\\`):
			out, at = append(out, '\\'), at+2
		case strings.HasPrefix(rest, `\e`):
			at += 2
		case strings.HasPrefix(rest, `\x`) && len(rest) >= 4:
			value, err := hex.DecodeString(rest[2:4])
			if err != nil {
				return "", err
			}
			out, at = append(out, value...), at+4
		default:
			return "", fmt.Errorf("no escape that is known: %q", field)
		}
	}
	return string(out), nil
}

// rowsOf gives the rows of a file, and fails when it is missing or has other columns.
func rowsOf(t *testing.T, name string) []row {
	t.Helper()
	data := string(must[[]byte](t)(os.ReadFile(filepath.Join(vectorFolder, name))))
	lines := strings.Split(data, "\n")
	columns := strings.Fields(vectorColumns[name])
	if lines[len(lines)-1] != "" || len(lines) < 3 {
		t.Fatalf("%s is cut off", name)
	}
	if lines[0] != strings.Join(columns, "\t") {
		t.Fatalf("%s: other columns than this reader knows", name)
	}
	var rows []row
	for i, line := range lines[1 : len(lines)-1] {
		one := row{t, fmt.Sprintf("%s:%d", name, i+2), map[string]string{}}
		fields := strings.Split(line, "\t")
		if len(fields) != len(columns) {
			t.Fatalf("%s: %d fields", one.place, len(fields))
		}
		for j, field := range fields {
			if field == "" {
				t.Fatalf("%s: an empty field", one.place)
			}
			one.fields[columns[j]] = field
		}
		rows = append(rows, one)
	}
	return rows
}

// note tells ci/parity what was read or played, when it asks for that.
func note(t *testing.T, kind string, names ...string) {
	t.Helper()
	target := os.Getenv("FLAKE_PARITY_NOTES")
	if target == "" {
		return
	}
	file := must[*os.File](t)(os.OpenFile(target, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666))
	defer file.Close()
	for _, name := range names {
		if err := json.NewEncoder(file).Encode([]string{kind, name}); err != nil {
			t.Fatal(err)
		}
	}
}
