// SPDX-License-Identifier: MIT

package flakecore

// #include "../core/flakecore.h"
import "C"

import "math"

// Format is a text form of IDs. All but decimal have a fixed width and sort as text exactly as the
// IDs do.
type Format string

// The text forms.
const (
	Dec    Format = "dec"    // 1..20 digits, no leading zero: "175928847299117063"
	Hex    Format = "hex"    // 16 digits, 0-9 a-f: "0271065ac1020007"
	Base32 Format = "base32" // 13 digits of Crockford's alphabet, 0-9 A-Z without I L O U
	Base58 Format = "base58" // 11 digits, 1-9 A-Z a-z without I O l
	Base62 Format = "base62" // 11 digits, 0-9 A-Z a-z
)

var formats = formatNames()

func formatNames() []Format {
	var names []Format
	for {
		name := C.flake_format_name(C.int32_t(len(names)))
		if name == nil {
			return names
		}
		names = append(names, Format(C.GoString(name)))
	}
}

// Formats gives all text forms.
func Formats() []Format {
	return append([]Format(nil), formats...)
}

// Encode writes an ID in a text form. ErrInvalidArgument: not an ID, or no such format.
func (id ID) Encode(format Format) (string, error) {
	if err := id.check(); err != nil {
		return "", err
	}
	return EncodeUint64(uint64(id), format)
}

// DecodeText reads exactly what ID.Encode writes. ErrBadText: anything else, also blanks, signs,
// the other case, leading zeros in decimal, 0, or more than 63 bits. ErrInvalidArgument: no such
// format.
func DecodeText(text string, format Format) (ID, error) {
	bits, err := DecodeTextUint64(text, format)
	switch {
	case err != nil:
		return 0, err
	case bits == 0:
		return 0, ErrBadText.because("%s is not an ID; 0 is never issued", shown(text))
	case bits > math.MaxInt64:
		return 0, ErrBadText.because("%s is not an ID; it has more than 63 bits", shown(text))
	}
	return ID(bits), nil
}

// EncodeUint64 writes any 64 bits in a text form, also unsigned IDs of other makers.
// ErrInvalidArgument: no such format.
func EncodeUint64(bits uint64, format Format) (string, error) {
	place, err := placeOf("format", format, formats)
	if err != nil {
		return "", err
	}
	var chars [C.FLAKE_TEXT_SIZE]C.char
	length := C.flake_encode(C.int32_t(place), C.uint64_t(bits), &chars[0], C.FLAKE_TEXT_SIZE)
	if length < 0 {
		return "", errorOf(C.int64_t(length))
	}
	return C.GoStringN(&chars[0], C.int(length)), nil
}

// DecodeTextUint64 reads exactly what EncodeUint64 writes. ErrBadText: anything else.
// ErrInvalidArgument: no such format.
func DecodeTextUint64(text string, format Format) (uint64, error) {
	place, err := placeOf("format", format, formats)
	if err != nil {
		return 0, err
	}
	var bits C.uint64_t
	chars, length := charsOf(text)
	switch status := C.flake_decode_text(C.int32_t(place), chars, length, &bits); {
	case status == C.FLAKE_E_BAD_TEXT:
		return 0, ErrBadText.because("%s is not an ID in the format %s", shown(text), format)
	case status < 0:
		return 0, errorOf(C.int64_t(status))
	}
	return uint64(bits), nil
}
