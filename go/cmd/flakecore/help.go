// SPDX-License-Identifier: MIT

package main

import (
	"os"
	"strings"

	flakecore "github.com/flakecore/flakecore/go"
)

const help = `Usage: {program} COMMAND [OPTION...]

Time-ordered unique 64-bit IDs, made in process.

Commands:
  next             print new IDs
  decode           say what is in IDs: time, node, sequence

Options:
  -h, --help    print this
  --version     print the version

{program} COMMAND --help, or {program} help COMMAND, says more.
`

const helpNext = `Usage: {program} next --node CHAIN [OPTION...]

Prints new IDs, one a line, each larger than the one before.

      --node CHAIN        number of this generator: no two that live at the same
                          time may share it, so there is no default. Or sources of
                          it, with commas; the first that is there decides:
                          env:NAME          an environment variable
                          file:PATH         the first line of a file
                          hostname-ordinal  the number that ends the host's name
                          ipv4:PREFIX       the bits after the network's prefix of
                                            this host's private IPv4 address;
                                            ipv4:PREFIX@eth0 names an interface
                          random:FLEET      a random number, for a fleet of so many:
                                            says how probable it is that two of them
                                            get the same one
  -n, --count N           how many IDs (default 1)
      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)
      --space NAME        set of IDs that must all differ (default "default")
      --format FORMAT     dec (default), hex, base32, base58 or base62, as flake
                          encode writes them
      --mode MODE         strict: never ahead of the clock, may wait (default)
                          monotonic: never waits, may run ahead of the clock
      --max-wait-ms N     strict: the longest wait for an ID, 0 to 86400000 ms
                          (default 1100)
      --max-lead-ms N     monotonic: how far ahead of the clock, 0 to 86400000 ms.
                          No default: the next process to use the node this
                          soon could repeat IDs
      --start-floor-ms N  no ID with an earlier time than this, in Unix ms
                          (default none)
      --seq-spread-bits N start the sequence of each tick at a random number below
                          2^N, 0 to the width of the sequence (default 0)
  -h, --help              print this

Examples:
  {program} next --node 1
  {program} next --node 1 -n 5 | {program} decode
  {program} next --node env:NODE,hostname-ordinal
  {program} next --node 7 --layout sonyflake --format hex
`

const helpDecode = `Usage: {program} decode [OPTION...] [ID...]

Says what is in IDs: the time in UTC, the node and the sequence number. Without an
ID it reads standard input, one ID a line. It prints lines of the form
  175928847299117063  2016-04-30T11:18:25.796Z  node 32  sequence 7

      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)
      --format FORMAT     how the IDs are written
                          dec: decimal, or 0x and 16 hexadecimal digits (default)
                          hex: 16 hexadecimal digits, with or without 0x
                          base32, base58, base62: as flake encode writes them
      --json              one JSON object a line: id (a string), time, unix_ms,
                          node, sequence, layout
  -h, --help              print this

What is not an ID is reported on standard error with its line number and left out.
An ID whose time is before 2006 or in the future is printed, with a warning: it is
probably of another layout.

Examples:
  {program} decode --layout discord 175928847299117063
  {program} next --node 1 -n 5 --format hex | {program} decode --format hex
  {program} decode --json < ids.txt
`

const helpEnd = `
LAYOUT says how the bits of an ID are divided:
  41/10/12                      bits of time/node/sequence, the default
  41/10/12@1735689600000        the same, with the epoch in Unix ms
  t39s8n16*10ms@1735689600000   fields from the highest bit down, ticks of 10 ms
  a preset:                    {presets}

Exit status: 0 done; 1 failed, or a part of the input was bad; 2 wrong usage.
`

// named puts the command's name into a help.
func named(text string) string {
	return strings.ReplaceAll(text, "{program}", program)
}

// showHelp prints the help of a subcommand and ends the command.
func showHelp(out *output, text string) {
	var presets strings.Builder
	for i, name := range flakecore.Presets() {
		switch {
		case i > 0 && i%5 == 0:
			presets.WriteString(",\n                               ")
		case i > 0:
			presets.WriteByte(',')
		}
		presets.WriteString(" " + name)
	}
	out.write(named(text) + strings.ReplaceAll(helpEnd, "{presets}", presets.String()))
	out.flush()
	os.Exit(done)
}
