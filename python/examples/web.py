# SPDX-License-Identifier: MIT
"""A web service that gives out IDs, with nothing but the standard library.

    POST /orders   {"id": "253479419526516736"}   the ID as a string: JavaScript rounds numbers
    GET /healthz   200, or 503 while the generator refuses

usage: NODE=7 python web.py [PORT]
"""
import json
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Type

from flakecore import FlakeError, Generator


def handler_of(gen: Generator) -> Type[BaseHTTPRequestHandler]:
    """A handler whose threads all draw from one generator."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/healthz":
                return self.answer(404, {"error": "not found"})
            health = gen.health()
            self.answer(200 if health.ok else 503, {"health": str(health)})

        def do_POST(self) -> None:
            if self.path != "/orders":
                return self.answer(404, {"error": "not found"})
            try:
                self.answer(201, {"id": gen.next_id_str()})
            except FlakeError as error:
                self.answer(503, {"error": error.name, "text": str(error)})

        def answer(self, status: int, body: Any) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    return Handler


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # how a supervisor ends it
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    try:
        gen = Generator(node="env:NODE,hostname-ordinal", space="orders")
    except FlakeError as error:  # its text says what to do
        print(error, file=sys.stderr)
        return 1
    with gen, ThreadingHTTPServer(("127.0.0.1", port), handler_of(gen)) as server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
