// SPDX-License-Identifier: MIT

// A web service that gives out IDs, with nothing but the standard library.
//
//	POST /orders   {"id":"253479419526516736"}   the ID as a string: JavaScript rounds numbers
//	GET /healthz   200, or 503 while the generator refuses
//
// usage: NODE=7 web [ADDRESS]
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	flakecore "github.com/flakecore/flakecore/go"
)

type order struct {
	ID flakecore.ID `json:"id"`
}

// handlerOf gives a handler whose goroutines all draw from one generator.
func handlerOf(gen *flakecore.Generator) http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("/orders", func(to http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			answer(to, http.StatusMethodNotAllowed, map[string]string{"error": "use POST"})
			return
		}
		id, err := gen.NextContext(request.Context()) // ends when the client is gone
		if err != nil {
			answer(to, http.StatusServiceUnavailable,
				map[string]string{"error": nameOf(err), "text": err.Error()})
			return
		}
		answer(to, http.StatusCreated, order{id})
	})
	routes.HandleFunc("/healthz", func(to http.ResponseWriter, request *http.Request) {
		health, err := gen.Health()
		switch {
		case err != nil:
			answer(to, http.StatusServiceUnavailable, map[string]string{"health": err.Error()})
		case !health.OK():
			answer(to, http.StatusServiceUnavailable, map[string]string{"health": health.String()})
		default:
			answer(to, http.StatusOK, map[string]string{"health": health.String()})
		}
	})
	return routes
}

// nameOf is a word for a program to compare.
func nameOf(err error) string {
	var refused *flakecore.Error
	if errors.As(err, &refused) {
		return refused.Name()
	}
	return "request_ended" // its context was done before an ID was there
}

func answer(to http.ResponseWriter, status int, body any) {
	to.Header().Set("Content-Type", "application/json")
	to.WriteHeader(status)
	json.NewEncoder(to).Encode(body)
}

func serve(address string) error {
	gen, err := flakecore.New(
		flakecore.WithNodeFrom("env:NODE,hostname-ordinal"), flakecore.WithSpace("orders"))
	if err != nil {
		return err
	}
	defer gen.Close()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serveUntil(ctx, listener, handlerOf(gen))
}

// serveUntil serves until ctx is done and the requests in progress are answered.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return server.Shutdown(limit)
}

func main() {
	address := "127.0.0.1:8080"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	if err := serve(address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
