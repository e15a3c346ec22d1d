// SPDX-License-Identifier: MIT

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
	"github.com/flakecore/flakecore/go/internal/words"
)

// request is what next is asked for.
type request struct {
	options *options
	chosen  []flakecore.Option
	layout  flakecore.Layout
	chain   string // sources of the node, or nothing
	count   int64
	format  flakecore.Format
}

func nextRequest(out *output, arguments []string) *request {
	options := &options{out: out, letters: map[byte]string{'n': "count", 'h': "help"},
		needs: map[string]bool{"help": false}}
	for _, name := range []string{"node", "count", "layout", "space", "format", "mode", "max-wait-ms",
		"max-lead-ms", "start-floor-ms", "seq-spread-bits"} {
		options.needs[name] = true
	}
	found, others := options.read(arguments)
	asked := &request{options: options, layout: flakecore.DefaultLayout(), count: 1,
		format: flakecore.Dec}
	for _, option := range found {
		asked.take(option.name, option.value)
	}
	if len(others) > 0 {
		out.fail(usage, quoted(others[0])+" is not an option; for several IDs write -n N", true)
	}
	return asked
}

// take takes one option.
func (asked *request) take(name, value string) {
	options := asked.options
	choose := func(option flakecore.Option) { asked.chosen = append(asked.chosen, option) }
	switch name {
	case "help":
		showHelp(options.out, helpNext)
	case "count":
		if asked.count = options.number(name, value); asked.count < 0 {
			options.out.fail(usage, "--count "+quoted(value)+" is below 0", false)
		}
	case "format":
		asked.format = options.format(value)
	case "layout":
		asked.layout = options.layout(value)
	case "space":
		choose(flakecore.WithSpace(value))
	case "mode":
		choose(flakecore.WithMode(flakecore.Mode(options.word(name, value,
			[]string{string(flakecore.Strict), string(flakecore.Monotonic)}))))
	case "node":
		if asked.chain = value; isNumber(value) {
			choose(flakecore.WithNode(options.number(name, value)))
			asked.chain = ""
		}
	default:
		choose(asked.optionOf(name, value))
	}
}

// isNumber says whether a node was meant as one, and not as a chain of sources.
func isNumber(value string) bool {
	return value == "" || strings.ContainsRune("+-0123456789", rune(value[0])) &&
		!strings.Contains(value, ",")
}

func (asked *request) optionOf(name, value string) flakecore.Option {
	number := asked.options.number(name, value)
	switch name {
	case "start-floor-ms":
		return flakecore.WithStartFloor(time.UnixMilli(number))
	case "seq-spread-bits":
		return flakecore.WithSeqSpreadBits(number)
	}
	const most = int64(1<<63-1) / int64(time.Millisecond)
	if number > most || number < -most { // more than a Duration holds is out of range all the same
		asked.options.out.fail(usage, fmt.Sprintf("%s is %d; it must lie in 0..86400000",
			strings.ReplaceAll(name, "-", "_"), number), false)
	}
	if name == "max-wait-ms" {
		return flakecore.WithMaxWait(time.Duration(number) * time.Millisecond)
	}
	return flakecore.WithMaxLead(time.Duration(number) * time.Millisecond)
}

// statusOf is 2 for the caller's own mistakes.
func statusOf(err error) (status int, text string) {
	var known *flakecore.Error
	if !errors.As(err, &known) {
		return failed, err.Error()
	}
	if known.Class() == flakecore.ClassCaller {
		return usage, words.OfCore(err)
	}
	return failed, words.OfCore(err)
}

// findNode asks the sources of the node. The odds of a random one must be seen.
func (asked *request) findNode(out *output) {
	if asked.chain == "" {
		return
	}
	found, err := flakecore.NodeFrom(asked.chain, asked.layout)
	if err != nil {
		status, text := statusOf(err)
		out.fail(status, "--node "+quoted(asked.chain)+": "+text, false)
	}
	if strings.Contains(found.Text, " from random:") {
		out.complain(found.Text, false)
	}
	asked.chosen = append(asked.chosen, flakecore.WithNode(found.Node))
}

func runNext(out *output, arguments []string) int {
	asked := nextRequest(out, arguments)
	asked.findNode(out)
	gen, err := flakecore.New(append(asked.chosen, flakecore.WithLayout(asked.layout))...)
	if errors.Is(err, flakecore.ErrNoNode) {
		_, text := statusOf(err)
		out.fail(usage, text+": --node N", true)
	}
	if err != nil {
		status, text := statusOf(err)
		out.fail(status, text, false)
	}
	defer gen.Close()
	for i := int64(0); i < asked.count; i++ {
		text, err := nextText(out, gen, asked.format)
		if err != nil {
			_, why := statusOf(err)
			out.fail(failed, fmt.Sprintf("stopped after %d of %d IDs: %s", i, asked.count, why), false)
		}
		out.write(text + "\n")
	}
	return done
}

func nextText(out *output, gen *flakecore.Generator, format flakecore.Format) (string, error) {
	id, err := gen.TryNext()
	if errors.Is(err, flakecore.ErrAgain) {
		out.flush() // what was printed must not wait together with the generator
		id, err = gen.Next()
	}
	if err != nil {
		return "", err
	}
	return id.Encode(format)
}
