// SPDX-License-Identifier: MIT

package main

import (
	"regexp"
	"strconv"
	"strings"

	flakecore "github.com/flakecore/flakecore/go"
)

// options reads arguments as getopt_long does, but that no option may be shortened.
type options struct {
	out     *output
	needs   map[string]bool // whether an option needs a value
	letters map[byte]string // the name that a letter stands for
}

// option is one that was found.
type option struct {
	name, value string
}

// read gives the options in their order, and the arguments that are none. It ends at help.
func (options *options) read(arguments []string) (found []option, others []string) {
	for rest := arguments; len(rest) > 0; {
		argument := rest[0]
		rest = rest[1:]
		switch {
		case argument == "--":
			return found, append(others, rest...)
		case strings.HasPrefix(argument, "--"):
			found = append(found, options.long(argument, &rest))
		case strings.HasPrefix(argument, "-") && argument != "-":
			found = append(found, options.short(argument, &rest)...)
		default:
			others = append(others, argument)
		}
		if len(found) > 0 && found[len(found)-1].name == "help" {
			break
		}
	}
	return found, others
}

func (options *options) long(argument string, rest *[]string) option {
	name, value, equals := strings.Cut(argument[2:], "=")
	needs, known := options.needs[name]
	switch {
	case !known:
		options.wrong("there is no option " + quoted(argument))
	case !needs && equals:
		options.wrong("option " + quoted(argument) + " takes no value")
	case needs && !equals:
		value = options.following(argument, rest)
	}
	return option{name, value}
}

func (options *options) short(argument string, rest *[]string) (found []option) {
	for at := 1; at < len(argument); at++ {
		name, known := options.letters[argument[at]]
		if !known {
			options.wrong("there is no option " + quoted("-"+argument[at:at+1]))
		}
		if options.needs[name] {
			value := argument[at+1:]
			if value == "" {
				value = options.following(argument, rest)
			}
			return append(found, option{name, value})
		}
		if found = append(found, option{name, ""}); name == "help" {
			return found
		}
	}
	return found
}

// following is the value that an option finds in the next argument.
func (options *options) following(argument string, rest *[]string) string {
	if len(*rest) == 0 {
		options.wrong("option " + quoted(argument) + " needs a value")
	}
	value := (*rest)[0]
	*rest = (*rest)[1:]
	return value
}

func (options *options) wrong(text string) {
	options.out.fail(usage, text, true)
}

// ---- values ------------------------------------------------------------------------------------

var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// number reads a whole number below 2^63, written as decimal digits without leading zeros.
func (options *options) number(name, value string) int64 {
	if !wholeNumber.MatchString(value) {
		options.out.fail(usage, "--"+name+" "+quoted(value)+" is not a whole number; write decimal "+
			"digits without leading zeros, such as 7", false)
	}
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil || number <= -(1<<63-1) {
		options.out.fail(usage, "--"+name+" "+quoted(value)+" is out of range; it must lie below 2^63",
			false)
	}
	return number
}

func (options *options) word(name, value string, words []string) string {
	for _, word := range words {
		if word == value {
			return word
		}
	}
	options.out.fail(usage, "--"+name+" "+quoted(value)+" is unknown; write "+
		strings.Join(words, " or "), false)
	return ""
}

func (options *options) format(value string) flakecore.Format {
	var words []string
	for _, format := range flakecore.Formats() {
		words = append(words, string(format))
	}
	return flakecore.Format(options.word("format", value, words))
}

func (options *options) layout(value string) flakecore.Layout {
	layout, err := flakecore.ParseLayout(value)
	if err != nil {
		options.out.fail(usage, "--layout "+quoted(value)+": "+flakecore.ErrBadLayout.Text(), false)
	}
	return layout
}
