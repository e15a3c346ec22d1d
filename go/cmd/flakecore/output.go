// SPDX-License-Identifier: MIT

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

const bufferSize = 65536

// output is standard output through one buffer; a result that is lost must not look like success.
type output struct {
	name   string // of the subcommand, or nothing
	buffer []byte
}

func (out *output) write(text string) {
	out.buffer = append(out.buffer, text...)
	if len(out.buffer) >= bufferSize {
		out.flush()
	}
}

func (out *output) flush() {
	rest := out.buffer
	out.buffer = out.buffer[:0]
	if len(rest) == 0 {
		return
	}
	if _, err := os.Stdout.Write(rest); err != nil {
		if !errors.Is(err, syscall.EPIPE) {
			out.complain("cannot write to standard output: "+reason(err), false)
		}
		os.Exit(failed)
	}
}

// reason is what the system says, as C says it.
func reason(err error) string {
	var number syscall.Errno
	if !errors.As(err, &number) {
		return err.Error()
	}
	text := number.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// complain writes one line on standard error, after the results so far.
func (out *output) complain(text string, seeHelp bool) {
	out.flush()
	name := strings.TrimSpace(program + " " + out.name)
	plain := []byte(text)
	for i, char := range plain {
		if char < ' ' || char > '~' {
			plain[i] = '?'
		}
	}
	hint := ""
	if seeHelp {
		hint = "; see " + name + " --help"
	}
	fmt.Fprintf(os.Stderr, "%s: %s%s\n", name, plain, hint)
}

// fail ends the command.
func (out *output) fail(status int, text string, seeHelp bool) {
	out.complain(text, seeHelp)
	os.Exit(status)
}

// quoted is a value that somebody gave: quoted, short, and harmless to a terminal.
func quoted(value string) string {
	const most = 40
	var plain strings.Builder
	for i := 0; i < len(value) && i < most; i++ {
		if char := value[i]; char >= ' ' && char <= '~' {
			plain.WriteByte(char)
		} else {
			fmt.Fprintf(&plain, `\x%02x`, char)
		}
	}
	if len(value) > most {
		return "'" + plain.String() + "'..."
	}
	return "'" + plain.String() + "'"
}

// inputLines calls line with the number and the text of each line of standard input, without its
// end; it flushes before it waits for more.
func inputLines(out *output, line func(number int, text string)) {
	number, rest, chunk := 0, "", make([]byte, bufferSize)
	for {
		out.flush()
		n, err := os.Stdin.Read(chunk)
		if err != nil && !errors.Is(err, io.EOF) {
			out.fail(failed, "cannot read standard input: "+reason(err), false)
		}
		lines := strings.Split(rest+string(chunk[:n]), "\n")
		rest = lines[len(lines)-1]
		lines = lines[:len(lines)-1]
		if len(rest) > bufferSize {
			rest = rest[:4096] // longer than whatever can be read from a line
		}
		if err != nil && rest != "" {
			lines = append(lines, rest)
		}
		for _, text := range lines {
			number++
			line(number, strings.TrimSuffix(text, "\r"))
		}
		if err != nil {
			return
		}
	}
}
