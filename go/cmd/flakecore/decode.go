// SPDX-License-Identifier: MIT

package main

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

const (
	year2006Ms  = 1_136_073_600_000
	skewMs      = 5000 // between the clock that made the ID and ours
	warningsMax = 10
)

var forms = map[flakecore.Format]string{
	"dec":    "decimal, or 0x and 16 hexadecimal digits; --help names the other forms",
	"hex":    "16 hexadecimal digits",
	"base32": "13 digits of Crockford's base32, 0-9 A-Z without I L O U, below 2^64",
	"base58": "11 digits of base58, 1-9 A-Z a-z without I O l, below 2^64",
	"base62": "11 digits of base62, 0-9 A-Z a-z, below 2^64",
}

// decoding is one run of decode: a bad ID is reported and left out; the others go on.
type decoding struct {
	out         *output
	layout      flakecore.Layout
	format      flakecore.Format
	json        bool
	implausible int
	status      int
}

func runDecode(out *output, arguments []string) int {
	options := &options{out: out, letters: map[byte]string{'h': "help"},
		needs: map[string]bool{"layout": true, "format": true, "json": false, "help": false}}
	job := &decoding{out: out, layout: flakecore.DefaultLayout(), format: flakecore.Dec}
	found, ids := options.read(arguments)
	for _, option := range found {
		switch option.name {
		case "help":
			showHelp(out, helpDecode)
		case "layout":
			job.layout = options.layout(option.value)
		case "format":
			job.format = options.format(option.value)
		case "json":
			job.json = true
		}
	}
	for _, text := range ids {
		job.one(text, "")
	}
	if len(ids) == 0 {
		inputLines(out, func(number int, text string) {
			job.one(text, fmt.Sprintf("line %d: ", number))
		})
	}
	if more := job.implausible - warningsMax; more > 0 {
		out.complain(fmt.Sprintf("warning: %d more such times", more), false)
	}
	return job.status
}

func (job *decoding) one(text, place string) {
	id, what := job.read(text)
	if what == "" {
		parts, err := job.layout.DecodeUint64(id)
		if err == nil {
			job.out.write(job.line(id, parts))
			job.warnOfTime(id, parts.UnixMs, place)
			return
		}
		what = fmt.Sprintf("%s has more bits than layout %s; name its layout with --layout",
			quoted(text), job.layout)
	}
	job.status = failed
	job.out.complain(place+what, false)
}

var digits = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// read gives the number of a text, or what is wrong with it.
func (job *decoding) read(text string) (id uint64, what string) {
	none := quoted(text) + " is not an ID; write it as " + forms[job.format]
	tooLarge := quoted(text) + " is not an ID; the largest is 2^64 - 1"
	var err error
	switch marked := strings.HasPrefix(text, "0x") && len(text) > 2; {
	case text == "":
		return 0, "blank, where an ID should be"
	case job.format == flakecore.Hex, job.format == flakecore.Dec && marked:
		bytes, wrong := hex.DecodeString(strings.TrimPrefix(text, "0x"))
		if wrong != nil || len(bytes) != 8 {
			return 0, none
		}
		id, err = strconv.ParseUint(hex.EncodeToString(bytes), 16, 64)
	case job.format == flakecore.Dec && digits.MatchString(text):
		if id, err = strconv.ParseUint(text, 10, 64); err != nil {
			return 0, tooLarge
		}
	default:
		id, err = flakecore.DecodeTextUint64(text, job.format)
	}
	if err != nil {
		return 0, none
	}
	if id == 0 {
		return 0, quoted(text) + " is not an ID; 0 is never issued"
	}
	return id, ""
}

func (job *decoding) line(id uint64, parts flakecore.Decoded) string {
	if job.json {
		return fmt.Sprintf(`{"id":"%d","time":"%s","unix_ms":%d,"node":%d,"sequence":%d,"layout":"%s"}`+
			"\n", id, iso(parts.Time()), parts.UnixMs, parts.Node, parts.Sequence, job.layout)
	}
	return fmt.Sprintf("%d  %s  node %d  sequence %d\n", id, iso(parts.Time()), parts.Node,
		parts.Sequence)
}

// iso is "2016-04-30T11:18:25.796Z"; a year beyond 9999 has a "+" in front.
func iso(at time.Time) string {
	text := at.Format("2006-01-02T15:04:05.000Z")
	if at.Year() > 9999 {
		return "+" + text
	}
	return text
}

func (job *decoding) warnOfTime(id uint64, unixMs int64, place string) {
	when := "in the future"
	if unixMs < year2006Ms {
		when = "before 2006"
	} else if unixMs <= time.Now().UnixMilli()+skewMs {
		return
	}
	job.implausible++
	if job.implausible <= warningsMax {
		job.out.complain(fmt.Sprintf("warning: %sthe time of %d lies %s; is %s its layout? see --layout",
			place, id, when, job.layout), false)
	}
}
