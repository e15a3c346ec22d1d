// SPDX-License-Identifier: MIT

package tests

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	flakecore "github.com/flakecore/flakecore/go"
)

// Other processes of the host: this program, started once more.

const idsOfACopy = 30_000

// helpers are what a copy of this program does instead of the tests.
var helpers = map[string]func(arguments []string){
	"draw": helperDraw,
	"hold": helperHold,
	"drop": helperDrop,
	"fork": helperFork,
}

// helperOpen opens the space and the node that the arguments say, or prints why it cannot.
func helperOpen(arguments []string) *flakecore.Generator {
	node, err := strconv.ParseInt(arguments[1], 10, 64)
	if err != nil {
		panic(err)
	}
	gen, err := flakecore.New(flakecore.WithSpace(arguments[0]), flakecore.WithNode(node))
	var known *flakecore.Error
	if errors.As(err, &known) {
		fmt.Println(known.Name(), known)
		os.Exit(0)
	}
	return gen
}

func helperDraw(arguments []string) {
	gen := helperOpen(arguments)
	defer gen.Close()
	ids := make([]flakecore.ID, idsOfACopy)
	if _, err := gen.Fill(ids); err != nil {
		panic(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, id := range ids {
		fmt.Fprintln(out, id)
	}
}

// helperHold draws one ID and lives until its standard input ends.
func helperHold(arguments []string) {
	gen := helperOpen(arguments)
	id, err := gen.Next()
	fmt.Println(id, err)
	io.Copy(io.Discard, os.Stdin)
}

// helperDrop ends without having closed anything, while others still draw.
func helperDrop(arguments []string) {
	gen := helperOpen(arguments)
	for i := 0; i < 4; i++ {
		go func() {
			for {
				gen.Next()
			}
		}()
	}
	time.Sleep(20 * time.Millisecond)
}

// helperFork forks as C does and prints what comes from a block that was drawn before: in the
// child, and in the parent.
func helperFork(arguments []string) {
	gen := helperOpen(arguments)
	buffered, err := flakecore.NewBuffered(gen, 1000, time.Hour)
	if err != nil {
		panic(err)
	}
	buffered.Next()
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	to, forked, other := write.Fd(), []byte("forked\n"), []byte("an ID!\n")
	runtime.LockOSThread()
	child, _, failed := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0,
		0)
	if failed != 0 {
		panic(failed)
	}
	if child == 0 { // one thread: whatever takes a lock of Go's runtime, as memory may, can hang
		say := other
		if id, err := buffered.Next(); id == 0 && err == error(flakecore.ErrForked) {
			say = forked
		}
		syscall.RawSyscall(syscall.SYS_WRITE, to, uintptr(unsafe.Pointer(&say[0])), uintptr(len(say)))
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	write.Close()
	io.Copy(os.Stdout, read)
	syscall.Wait4(int(child), nil, 0, nil)
	_, err = buffered.Next()
	fmt.Println(err)
}

func copyOf(name string, arguments ...any) *exec.Cmd {
	command := exec.Command(os.Args[0])
	for _, argument := range arguments {
		command.Args = append(command.Args, fmt.Sprint(argument))
	}
	command.Env = append(os.Environ(), asHelper+"="+name)
	command.Stderr = os.Stderr
	return command
}

func linesOf(t *testing.T, command *exec.Cmd) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(string(must[[]byte](t)(command.Output()))), "\n")
}

func idsOf(t *testing.T, lines []string) (ids []flakecore.ID) {
	t.Helper()
	for _, line := range lines {
		ids = append(ids, must[flakecore.ID](t)(flakecore.ParseID(line)))
	}
	return ids
}

func TestCopiesOfAProcessGetNodeInUseWhileItGoesOn(t *testing.T) { // S1
	space := freshSpace()
	gen := open(t, flakecore.WithSpace(space), flakecore.WithMaxWait(time.Minute))
	results := make([][]string, 4)
	var ids []flakecore.ID
	together(5, func(i int) {
		if i < 4 {
			results[i] = linesOf(t, copyOf("draw", space, 1))
			return
		}
		ids = drawn(t, gen, idsOfACopy)
	})
	rising(t, ids)
	for _, lines := range results {
		if len(lines) != 1 || !strings.HasPrefix(lines[0], "node_in_use ") ||
			!strings.Contains(lines[0], fmt.Sprint("process ", os.Getpid())) {
			t.Fatal(lines[0])
		}
	}
	gen.Close()
	ids = append(ids, idsOf(t, linesOf(t, copyOf("draw", space, 1)))...)
	rising(t, ids)
}

func TestCopiesWithNodesOfTheirOwnNeverOverlap(t *testing.T) { // S1
	space := freshSpace()
	gen := open(t, flakecore.WithSpace(space), flakecore.WithNode(0),
		flakecore.WithMaxWait(time.Minute))
	lists := make([][]flakecore.ID, 5)
	together(5, func(i int) {
		if i == 0 {
			lists[0] = drawn(t, gen, idsOfACopy)
			return
		}
		lists[i] = idsOf(t, linesOf(t, copyOf("draw", space, i)))
	})
	var all []flakecore.ID
	for _, ids := range lists {
		rising(t, ids)
		all = append(all, ids...)
	}
	if distinct(t, all); len(all) != 5*idsOfACopy {
		t.Fatalf("%d IDs", len(all))
	}
}

func TestStoppedAndStartedAgainTheIDsGoOn(t *testing.T) { // S6
	space := freshSpace()
	var all []flakecore.ID
	for i := 0; i < 3; i++ {
		all = append(all, idsOf(t, linesOf(t, copyOf("draw", space, 1)))...)
	}
	rising(t, all)
}

func TestKillFreesTheNode(t *testing.T) {
	space := freshSpace()
	command := copyOf("hold", space, 1)
	stdin := must[io.WriteCloser](t)(command.StdinPipe())
	defer stdin.Close()
	stdout := must[io.ReadCloser](t)(command.StdoutPipe())
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line := must[string](t)(bufio.NewReader(stdout).ReadString('\n'))
	first := idsOf(t, strings.Fields(line)[:1])[0]
	_, err := flakecore.New(flakecore.WithSpace(space), flakecore.WithNode(1))
	expect(t, err, flakecore.ErrNodeInUse)
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait()
	if id := drawn(t, open(t, flakecore.WithSpace(space)), 1)[0]; id <= first {
		t.Fatalf("%d after %d", id, first)
	}
}

func TestAForkedChildGetsNoIDOfABlock(t *testing.T) { // S1
	lines := linesOf(t, copyOf("fork", freshSpace(), 1))
	if len(lines) != 2 || lines[0] != "forked" || lines[1] != "<nil>" {
		t.Fatal(lines)
	}
}

func TestAProgramThatIsStartedDoesNotKeepTheNode(t *testing.T) {
	space := freshSpace()
	gen := open(t, flakecore.WithSpace(space))
	command := copyOf("hold", freshSpace(), 2)
	stdin := must[io.WriteCloser](t)(command.StdinPipe())
	stdout := must[io.ReadCloser](t)(command.StdoutPipe())
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	must[string](t)(bufio.NewReader(stdout).ReadString('\n'))
	gen.Close()
	if lines := linesOf(t, copyOf("draw", space, 1)); len(lines) != idsOfACopy {
		t.Fatal(lines[0])
	}
	stdin.Close()
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestAProgramEndsQuietlyWithWhatIsOpen(t *testing.T) {
	if lines := linesOf(t, copyOf("drop", freshSpace(), 1)); lines[0] != "" {
		t.Fatal(lines)
	}
}

func TestOpeningIsQuickAndLooksNothingUp(t *testing.T) { // S9
	started := time.Now()
	open(t).Close()
	if took := time.Since(started); took > time.Second {
		t.Fatal(took)
	}
}

func TestARunDirectoryThatIsNotThereIsAnErrorThatSaysWhatToDo(t *testing.T) {
	t.Setenv("FLAKECORE_RUN_DIR", "/nope/nope")
	_, err := flakecore.New(flakecore.WithNode(1), flakecore.WithSpace(freshSpace()))
	expect(t, err, flakecore.ErrNoRunDir)
	if !strings.Contains(err.Error(), "set FLAKECORE_RUN_DIR") {
		t.Fatal(err)
	}
}
