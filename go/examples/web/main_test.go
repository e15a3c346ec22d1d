// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

// call gives the status and the body of an answer.
func call(t *testing.T, handler http.Handler, method, path string) (int, map[string]string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
	body := map[string]string{}
	if strings.HasPrefix(recorder.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
	}
	return recorder.Code, body
}

func TestItAnswers503WhileTheGeneratorRefuses(t *testing.T) {
	start := time.UnixMilli(1_750_000_000_000)
	clock, err := flakecore.NewTestClock(start)
	if err != nil {
		t.Fatal(err)
	}
	gen, err := flakecore.New(flakecore.WithNode(7), flakecore.WithSpace("web-test"),
		flakecore.WithTestClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer gen.Close()
	handler := handlerOf(gen)

	status, body := call(t, handler, "POST", "/orders")
	if _, err := flakecore.ParseID(body["id"]); status != 201 || err != nil {
		t.Fatal(status, body, err)
	}
	clock.SetWall(start.Add(-time.Hour))
	status, body = call(t, handler, "GET", "/healthz")
	if status != 503 || !strings.HasPrefix(body["health"], "fail: ") {
		t.Fatal(status, body)
	}
	status, body = call(t, handler, "POST", "/orders")
	if status != 503 || body["error"] != "clock_rewound" {
		t.Fatal(status, body)
	}
	clock.SetWall(start.Add(time.Hour))
	if status, body = call(t, handler, "GET", "/healthz"); status != 200 || body["health"] != "ok" {
		t.Fatal(status, body)
	}
	for path, wanted := range map[string]int{"/orders": 405, "/": 404} {
		if status, _ := call(t, handler, "GET", path); status != wanted {
			t.Fatal(path, status)
		}
	}
	gen.Close()
	if status, body = call(t, handler, "GET", "/healthz"); status != 503 {
		t.Fatal(status, body)
	}
}

func TestItAnswers503WhenTheRequestEndsInAWait(t *testing.T) {
	gen, err := flakecore.New(flakecore.WithNode(7), flakecore.WithSpace("web-test"))
	if err != nil {
		t.Fatal(err)
	}
	defer gen.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	recorder := httptest.NewRecorder()
	handlerOf(gen).ServeHTTP(recorder, httptest.NewRequest("POST", "/orders", nil).WithContext(ctx))
	if body := recorder.Body.String(); recorder.Code != 503 ||
		!strings.Contains(body, `"request_ended"`) || !strings.Contains(body, "context canceled") {
		t.Fatal(recorder.Code, body)
	}
}

func TestWhatIsInProgressIsAnsweredBeforeItEnds(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	slow := func(to http.ResponseWriter, _ *http.Request) {
		stop()
		time.Sleep(300 * time.Millisecond)
		io.WriteString(to, "done")
	}
	ended := make(chan error, 1)
	answered := make(chan string, 1)
	go func() { ended <- serveUntil(ctx, listener, http.HandlerFunc(slow)) }()
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answered <- string(body)
	}()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-answered:
		if text != "done" {
			t.Fatal(text)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no answer")
	}
}
