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
		var refused *flakecore.Error
		switch {
		case err == nil:
			answer(to, http.StatusCreated, order{id})
		case errors.As(err, &refused):
			answer(to, http.StatusServiceUnavailable,
				map[string]string{"error": refused.Name(), "text": refused.Error()})
		}
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
	server := &http.Server{Handler: handlerOf(gen)}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		<-ctx.Done()
		server.Shutdown(context.Background())
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
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
