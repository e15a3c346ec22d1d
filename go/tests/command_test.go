// SPDX-License-Identifier: MIT

package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// The command flakecore: the same options, output and exit status as the command `flake`, to which
// it is compared word for word.

const flake = "../../build/release/flake"

var build struct {
	sync.Once
	folder string
	err    error
}

// built gives the path of a program of the module, compiled once.
func built(t *testing.T, name string) string {
	t.Helper()
	build.Do(func() {
		build.folder = filepath.Join(os.Getenv("FLAKECORE_RUN_DIR"), "programs")
		if build.err = os.Mkdir(build.folder, 0o755); build.err != nil {
			return
		}
		var out []byte
		command := exec.Command("go", "build", "-buildvcs=false", "-o", build.folder, "./go/cmd/...",
			"./go/examples/...")
		command.Dir = "../.."
		if out, build.err = command.CombinedOutput(); build.err != nil {
			build.err = fmt.Errorf("%w: %s", build.err, out)
		}
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return filepath.Join(build.folder, name)
}

// answer is how a program ended.
type answer struct {
	status   int
	out, err string
}

func run(t *testing.T, program, given string, arguments ...string) answer {
	t.Helper()
	var out, err bytes.Buffer
	command := exec.Command(program, arguments...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(given), &out, &err
	if failed := command.Run(); failed != nil && command.ProcessState == nil {
		t.Fatalf("%v: build the release preset first: ci/test does", failed)
	}
	return answer{command.ProcessState.ExitCode(), out.String(), err.String()}
}

func own(t *testing.T, arguments ...string) answer {
	t.Helper()
	return run(t, built(t, "flakecore"), "", arguments...)
}

// same is what both print, when it is the same.
func same(t *testing.T, given string, arguments ...string) answer {
	t.Helper()
	wanted := run(t, flake, given, arguments...)
	found := run(t, built(t, "flakecore"), given, arguments...)
	found.err = strings.ReplaceAll(found.err, "flakecore", "flake")
	if found != wanted {
		t.Errorf("%q:\n%+v, not\n%+v", arguments, found, wanted)
	}
	return wanted
}

func TestWrongUsageIsAnsweredAlike(t *testing.T) {
	for _, line := range []string{"nxt", "Next", "--frob", "help nxt", "next --frob", "next --node",
		"next --node 1 -n", "next --help=yes", "next -x", "next --max 5", "next --node 1 5",
		"decode --json=yes 1", "decode --json -yx", "decode -1", "decode -\x1b[31m", "next",
		"next --node 1 --mode loose", "next --node 1 --mode monotonic", "next --node 1 --format HEX",
		"next --node 1 --layout frob", "next --node 1 --layout discord", "next --node 1 --space a/b",
		"next --node 1 --space=", "next --node 1 --space " + strings.Repeat("x", 64),
		"next --node 1 --seq-spread-bits 13", "next --node 1 -n -1", "next --node=70000",
		"next --node 1 --start-floor-ms -5", "next --node 70000 --start-floor-ms -5",
		"next --node 1 --start-floor-ms 9223372036854775806", "next --node 1 --max-wait-ms -1",
		"next --node 70000 --max-wait-ms -1", "next --node 1 --start-floor-ms 9223372036855",
		"next --node 1 --max-wait-ms 86400001", "next --node 1 --max-wait-ms 9223372036854775807",
		"next --node 1 --mode monotonic --max-lead-ms -9223372036854775",
		"next --node 1 --layout 41/10/12@4102444800000", "next --node 1 --start-floor-ms 1e3"} {
		result := same(t, "", strings.Fields(line)...)
		if result.status == 0 || result.out != "" || strings.Count(result.err, "\n") != 1 {
			t.Errorf("%s: %+v", line, result)
		}
	}
	same(t, "")
	same(t, "", "")
	if result := own(t, "next", "-h", "--frob"); result.status != 0 {
		t.Errorf("%+v", result)
	}
}

func TestChainsOfSourcesAreRefusedAlike(t *testing.T) {
	for _, chain := range []string{"env:NOPE_NOPE", "frob", "8x,7", "1024,", "file:/nope", "env:",
		"ipv4:99", "random:0", "random:x", "\u00e9"} {
		if result := same(t, "", "next", "--node", chain); result.status != 2 || result.err == "" {
			t.Errorf("%s: %+v", chain, result)
		}
	}
}

func TestWhatTheSystemOrTheClockRefusesIsToldAlike(t *testing.T) {
	far := strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)
	result := same(t, "", "next", "--node", "1", "--space", freshSpace(), "--start-floor-ms", far)
	if result.status != 1 || !strings.Contains(result.err, "or than start_floor_ms") {
		t.Errorf("%+v", result)
	}
	t.Setenv("FLAKECORE_RUN_DIR", "/nope/nope")
	result = same(t, "", "next", "--node", "1", "--space", freshSpace())
	if result.status != 1 || !strings.Contains(result.err, "set FLAKECORE_RUN_DIR") {
		t.Errorf("%+v", result)
	}
}

func TestARandomNodeSaysTheOdds(t *testing.T) {
	result := own(t, "next", "--node", "random:10", "--space", freshSpace())
	if result.status != 0 || !strings.Contains(result.err, " %") {
		t.Fatalf("%+v", result)
	}
}

func TestNumbersAreReadAlike(t *testing.T) {
	for _, value := range []string{"7.5", "NaN", "", " 7", "7 ", "0x10", "true", "1e3", "+7", "007",
		"--7", "-", "-0", "7\n", "1_0", "\u0661", "\x1b", strings.Repeat("9", 50), "-1",
		"9223372036854775808", "-9223372036854775807"} {
		for _, option := range []string{"--node", "--count", "--max-wait-ms"} {
			result := same(t, "", "next", "--node", "2000", option, value)
			if result.status != 2 || result.err == "" {
				t.Errorf("%s %q: %+v", option, value, result)
			}
		}
	}
}

func TestIDsAreDecodedAlike(t *testing.T) {
	const discord = "175928847299117063"
	cases := [][]string{{discord}, {"--layout", "discord", discord},
		{"--layout", "discord", "--json", discord},
		{"--format", "hex", "0271063330800007", "0x0271063330800007", "0271063330800007x", "1", "0x"},
		{"0", "", "-", "1", "18446744073709551615", "18446744073709551616", "0x0271063330800007",
			"07", "7 ", "\x1b", strings.Repeat("x", 100), strings.Repeat("9", 1000), "0x", "0xg"},
		{"--layout", "t48n8s8@4102444800000", "18446744073709551615"}, {"--", "-1"},
		{"--layout", "43/0/12*10s", "9223372036854775807", "4194304000000000"},
		{"--json", "--layout", "43/0/12*10s", "9223372036854775807"},
	}
	many := []string{}
	for i := 1; i < 25; i++ {
		many = append(many, fmt.Sprint(i))
	}
	cases = append(cases, many)
	for _, format := range []string{"dec", "hex", "base32", "base58", "base62", "base64"} {
		cases = append(cases, []string{"--format", format, "0271063330800007", "0000000000007",
			"11111111112", "00000000007", "", "x", "00000000000"})
	}
	for _, arguments := range cases {
		same(t, "", append([]string{"decode"}, arguments...)...)
	}
}

func TestInputIsReadAlike(t *testing.T) {
	for _, given := range []string{"", "\n", "1\n2\n", "1\r\n2", "1\n\nx\n0\n", "1", "\xff\n",
		"1\x00\n", strings.Repeat("y\n", 30), strings.Repeat("1", 70_000) + "\n1\n",
		strings.Repeat("400000000000000000\n", 20)} {
		same(t, given, "decode")
	}
}

func TestHelpSaysTheSameInItsOwnName(t *testing.T) {
	name := regexp.MustCompile(`\bflake (next|decode)`)
	for _, arguments := range [][]string{{"next", "--help"}, {"help", "decode"}, {"decode", "-h"}} {
		wanted := name.ReplaceAllString(run(t, flake, "", arguments...).out, "flakecore $1")
		found := own(t, arguments...)
		if strings.Join(strings.Fields(found.out), " ") != strings.Join(strings.Fields(wanted), " ") ||
			found.status != 0 || found.err != "" {
			t.Errorf("%s\nnot\n%s", found.out, wanted)
		}
	}
	if help := own(t, "--help"); help != own(t, "help") || help != own(t, "-h") || help.status != 0 {
		t.Error(help)
	}
	same(t, "", "--version")
}

func TestNextPrintsIDsThatRiseAndDecodeReadsThem(t *testing.T) {
	space := freshSpace()
	result := own(t, "next", "--node", "7", "-n", "10000", "--space", space)
	ids := idsOf(t, strings.Fields(result.out))
	if rising(t, ids); result.status != 0 || result.err != "" || len(ids) != 10_000 {
		t.Fatalf("%d IDs, %d, %s", len(ids), result.status, result.err)
	}
	decoded := same(t, result.out, "decode")
	if strings.Count(decoded.out, "  node 7  sequence ") != 10_000 {
		t.Fatal(decoded.out[:200])
	}
	result = own(t, "next", "--node", "7", "--format=hex", "--space", space)
	id, err := flakecore.DecodeText(strings.TrimSpace(result.out), flakecore.Hex)
	if parts, wrong := id.Decode(); err != nil || wrong != nil || parts.Node != 7 {
		t.Fatalf("%+v", result)
	}
}

func TestATimeInTheFutureIsPrintedWithAWarning(t *testing.T) {
	at := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	id := must[flakecore.ID](t)(flakecore.DefaultLayout().Compose(at, 1, 0))
	result := same(t, "", "decode", id.String())
	if result.status != 0 || !strings.Contains(result.err, "lies in the future") ||
		!strings.Contains(result.out, id.String()) {
		t.Fatalf("%+v", result)
	}
}

func TestWhatCannotBeWrittenIsReportedAndAClosedPipeIsNot(t *testing.T) {
	full := must[*os.File](t)(os.OpenFile("/dev/full", os.O_WRONLY, 0))
	defer full.Close()
	var complaint bytes.Buffer
	command := exec.Command(built(t, "flakecore"), "decode", "1")
	command.Stdout, command.Stderr = full, &complaint
	command.Run()
	if command.ProcessState.ExitCode() != 1 ||
		!strings.Contains(complaint.String(), "cannot write to standard output: No space") {
		t.Fatal(complaint.String())
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	complaint.Reset()
	command = exec.Command(built(t, "flakecore"), "--help")
	command.Stdout, command.Stderr = write, &complaint
	command.Run()
	write.Close()
	if command.ProcessState.ExitCode() != 1 || complaint.Len() > 0 {
		t.Fatal(command.ProcessState, complaint.String())
	}
}
