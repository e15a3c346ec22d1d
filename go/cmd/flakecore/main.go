// SPDX-License-Identifier: MIT

// Command flakecore is the command `flake`, next and decode, for where only the package is
// installed. Options, output and exit status are the same.
package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"

	flakecore "github.com/flakecore/flakecore/go"
)

const program = "flakecore"

// Exit status.
const (
	done   = 0
	failed = 1 // or a part of the input was bad
	usage  = 2 // wrong usage, a wrong value included
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // so that a closed pipe is an error of writing
	out := &output{}
	status := run(out, os.Args[1:])
	out.flush()
	os.Exit(status)
}

func run(out *output, arguments []string) int {
	if len(arguments) == 0 {
		out.fail(usage, "name a command, such as next", true)
	}
	word, rest := arguments[0], arguments[1:]
	switch {
	case word == "--version":
		out.write("flake " + flakecore.Version + "\n")
		return done
	case word == "--help" || word == "-h",
		word == "help" && (len(rest) == 0 || strings.HasPrefix(rest[0], "-")):
		out.write(named(help))
		return done
	case word == "help":
		word, rest = rest[0], []string{"--help"}
	}
	switch word {
	case "next":
		out.name = word
		return runNext(out, rest)
	case "decode":
		out.name = word
		return runDecode(out, rest)
	}
	kind := "command"
	if strings.HasPrefix(word, "-") {
		kind = "option"
	}
	out.fail(usage, "there is no "+kind+" "+quoted(word), true)
	return usage
}
