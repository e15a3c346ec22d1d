# SPDX-License-Identifier: MIT
"""The examples, run as people run them."""
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from http.server import ThreadingHTTPServer
from pathlib import Path

from conftest import NS_PER_S

from flakecore import Generator, decode

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name):
    done = subprocess.run([sys.executable, EXAMPLES / name], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def call(method, url):
    """(status, body) of a request."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=30) as got:
            return got.status, json.load(got)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_quickstart():
    *ids, parts = run("quickstart.py")
    assert len({int(id) for id in ids}) == 3 and ids == sorted(ids)
    assert parts == f"{decode(int(ids[2])).time}, node 7, sequence {decode(int(ids[2])).sequence}"


def test_batch():
    lines = run("batch.py")
    assert lines[0] == "10000 IDs, rising: True" and lines[2] == "1000 IDs in a buffer"
    assert lines[3].startswith("True - every sequence number that may be used now is spent")
    assert " BETWEEN " in lines[4]


def test_web_as_a_program():
    process = subprocess.Popen([sys.executable, EXAMPLES / "web.py", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**os.environ, "NODE": "7"})
    try:
        url = process.stdout.readline().strip()
        answers = [call("POST", url + "/orders") for _ in range(100)]
        assert {status for status, _ in answers} == {201}
        ids = [body["id"] for _, body in answers]
        assert len(set(ids)) == 100 and all(type(id) is str for id in ids)
        assert {decode(int(id)).node for id in ids} == {7}
        assert call("GET", url + "/healthz")[0] == 200 and call("GET", url + "/")[0] == 404
    finally:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")


def test_web_answers_503_while_the_generator_refuses(space, clock):
    spec = importlib.util.spec_from_file_location("web_example", EXAMPLES / "web.py")
    web = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(web)
    gen = Generator(node=7, space=space, clock=clock)
    with ThreadingHTTPServer(("127.0.0.1", 0), web.handler_of(gen)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        try:
            assert call("POST", url + "/orders")[0] == 201
            clock.set_wall(clock.wall_ns() - 3600 * NS_PER_S)
            status, body = call("GET", url + "/healthz")
            assert status == 503 and body["health"].startswith("fail: ")
            status, body = call("POST", url + "/orders")
            assert (status, body["error"]) == (503, "clock_rewound")
            clock.set_wall(clock.wall_ns() + 3600 * NS_PER_S)
            assert call("GET", url + "/healthz") == (200, {"health": "ok"})
        finally:
            server.shutdown()
            thread.join()
