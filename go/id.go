// SPDX-License-Identifier: MIT

//go:build cgo

package flakecore

import (
	"database/sql/driver"
	"encoding/json"
	"strconv"
	"time"
)

// ID is one ID, 1 to 2^63-1. As text it is its decimal digits, in JSON a string of them, as
// JavaScript rounds whole numbers above 2^53, and in a database an integer.
//
// What else an int64 can hold, 0 above all, is refused where an ID is written or read. For one that
// may be missing take *ID, in a database as in JSON, where it needs the option omitempty (or, from
// Go 1.24 on, take ID with omitzero). sql.Null[ID] is as good only where its Value asks that of ID:
// older Go writes a 0 with it.
//
// In the package fmt, %d, %s and %v print its digits, but %x the bytes of those: use Encode(Hex).
type ID int64

const jsonNumberMax = 1 << 53

// check refuses what is no ID.
func (id ID) check() error {
	if id <= 0 {
		return ErrInvalidArgument.because("%d is not an ID; an ID lies in 1..2^63-1", int64(id))
	}
	return nil
}

// ParseID reads the decimal digits of an ID. ErrBadText: anything else, also blanks, signs, leading
// zeros, 0, or more than 63 bits.
func ParseID(text string) (ID, error) {
	return DecodeText(text, Dec)
}

// String is its decimal digits.
func (id ID) String() string {
	return strconv.FormatInt(int64(id), 10)
}

// Decode says what is in an ID of the default layout; for another one, see Layout.Decode.
func (id ID) Decode() (Decoded, error) {
	return defaultLayout.Decode(id)
}

// Time is the start of the tick of an ID of the default layout, in UTC. ErrInvalidArgument: not an
// ID.
func (id ID) Time() (time.Time, error) {
	parts, err := id.Decode()
	if err != nil {
		return time.Time{}, err
	}
	return parts.Time(), nil
}

// ---- text and JSON -----------------------------------------------------------------------------

// MarshalText gives its decimal digits. ErrInvalidArgument: not an ID.
func (id ID) MarshalText() ([]byte, error) {
	if err := id.check(); err != nil {
		return nil, err
	}
	return strconv.AppendInt(nil, int64(id), 10), nil
}

// UnmarshalText is ParseID.
func (id *ID) UnmarshalText(text []byte) error {
	return id.set(ParseID(string(text)))
}

func (id *ID) set(parsed ID, err error) error {
	if err == nil {
		*id = parsed
	}
	return err
}

// MarshalJSON gives a string of its decimal digits. ErrInvalidArgument: not an ID.
func (id ID) MarshalJSON() ([]byte, error) {
	text, err := id.MarshalText()
	if err != nil {
		return nil, err
	}
	return append(append([]byte{'"'}, text...), '"'), nil
}

// UnmarshalJSON reads a string of decimal digits, or a whole number up to 2^53, above which numbers
// may have been rounded on their way. ErrBadText: anything else, also null.
func (id *ID) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return ErrBadText.because("%s is not an ID: %s", shown(string(data)), err)
		}
		return id.set(ParseID(text))
	}
	if string(data) == "null" {
		return ErrBadText.because("null is not an ID; where an ID may be missing, take *ID")
	}
	number, err := ParseID(string(data))
	if err == nil && number > jsonNumberMax {
		err = ErrBadText.because("the number %d is above 2^53 and may have been rounded on its way; "+
			"write IDs into JSON as strings", number)
	}
	return id.set(number, err)
}

// ---- databases ---------------------------------------------------------------------------------

// Value gives an int64 to a database. ErrInvalidArgument: not an ID.
func (id ID) Value() (driver.Value, error) {
	if err := id.check(); err != nil {
		return nil, err
	}
	return int64(id), nil
}

// Scan reads an int64, or decimal digits as string or []byte. ErrInvalidArgument: another type,
// NULL, 0 or negative. ErrBadText: not the digits of an ID.
func (id *ID) Scan(source any) error {
	switch value := source.(type) {
	case int64:
		return id.set(ID(value), ID(value).check())
	case string:
		return id.set(ParseID(value))
	case []byte:
		return id.set(ParseID(string(value)))
	case nil:
		return ErrInvalidArgument.because("NULL is not an ID; where an ID may be missing, scan " +
			"into the address of a *ID")
	}
	return ErrInvalidArgument.because("a value of type %T is not an ID; select an integer or "+
		"its digits", source)
}
