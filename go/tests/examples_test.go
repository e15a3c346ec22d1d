// SPDX-License-Identifier: MIT

package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// The examples, run as people run them.

func example(t *testing.T, name string) []string {
	t.Helper()
	result := run(t, built(t, name), "")
	if result.status != 0 || result.err != "" {
		t.Fatalf("%+v", result)
	}
	return strings.Split(strings.TrimSpace(result.out), "\n")
}

func TestQuickstart(t *testing.T) {
	lines := example(t, "quickstart")
	ids := idsOf(t, lines[:3])
	rising(t, ids)
	parts := must[flakecore.Decoded](t)(ids[2].Decode())
	wanted := fmt.Sprintf("%s, node 7, sequence %d", parts.Time().Format(time.RFC3339Nano),
		parts.Sequence)
	if lines[3] != wanted {
		t.Fatal(lines[3], wanted)
	}
}

func TestBatch(t *testing.T) {
	lines := example(t, "batch")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "10000 IDs from ") ||
		!strings.HasPrefix(lines[1], "one of a block: ") ||
		!strings.HasPrefix(lines[2], "true - flakecore: every sequence number that may be used") ||
		!strings.Contains(lines[3], " BETWEEN ") {
		t.Fatal(lines)
	}
}

func TestWebAsAProgram(t *testing.T) { // S35
	command := exec.Command(built(t, "web"), "127.0.0.1:0")
	command.Env, command.Stderr = append(os.Environ(), "NODE=7"), os.Stderr
	stdout := must[io.ReadCloser](t)(command.StdoutPipe())
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(must[string](t)(bufio.NewReader(stdout).ReadString('\n')))
	var ids []flakecore.ID
	for i := 0; i < 100; i++ {
		response := must[*http.Response](t)(http.Post(url+"/orders", "", nil))
		var body map[string]string // a number would not be read into this
		if err := json.NewDecoder(response.Body).Decode(&body); err != nil ||
			response.StatusCode != http.StatusCreated {
			t.Fatal(response.Status, err)
		}
		response.Body.Close()
		ids = append(ids, idsOf(t, []string{body["id"]})...)
	}
	rising(t, ids)
	if parts := must[flakecore.Decoded](t)(ids[0].Decode()); parts.Node != 7 {
		t.Fatal(parts)
	}
	response := must[*http.Response](t)(http.Get(url + "/healthz"))
	if response.Body.Close(); response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
}
