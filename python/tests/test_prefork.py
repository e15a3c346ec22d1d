# SPDX-License-Identifier: MIT
"""The example for gunicorn, run as its usage line says: with preload, 4 workers of 8 threads."""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flakecore import decode

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "prefork"
PATIENCE_S = 60

pytestmark = pytest.mark.once


class Server:
    """gunicorn on a free port, with a file for what it logs."""

    def __init__(self, log, nodes):
        self.log = log
        with open(log, "w") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "--bind", "127.0.0.1:0", "orders:app"],
                cwd=FOLDER, env={**os.environ, "NODES": nodes}, stderr=stderr)

    def logged(self, pattern, times):
        """What the log says so often, once it does."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            found = re.findall(pattern, self.log.read_text())
            if len(found) >= times:
                return found
            time.sleep(0.05)
        raise AssertionError(self.log.read_text())

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)


@pytest.fixture
def serve(tmp_path):
    servers = []

    def start(nodes):
        servers.append(Server(tmp_path / f"log.{len(servers)}", nodes))
        return servers[-1]

    yield start
    for server in servers:
        server.end()


def drawn(url):
    """The IDs of one request, which is sent anew when its worker was killed."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            request = urllib.request.Request(url + "/orders?n=1000", method="POST")
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return [int(id) for id in json.load(answer)["ids"]]
        except (OSError, http.client.HTTPException):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def test_the_workers_of_gunicorn_never_share_an_id(serve):  # S2
    server = serve("16-31")
    url = server.logged(r"http://[\d.:]+", 1)[0]
    workers = server.logged(r"Booting worker with pid: (\d+)", 4)
    with ThreadPoolExecutor(32) as pool:
        answers = [pool.submit(drawn, url) for _ in range(50)]
        os.kill(int(workers[0]), signal.SIGKILL)
        server.logged(r"Booting worker with pid: (\d+)", 5)
        answers += [pool.submit(drawn, url) for _ in range(50)]
        ids = [id for answer in answers for id in answer.result()]
    assert len(ids) == len(set(ids)) == 100_000
    assert {decode(id).node for id in ids} <= set(range(16, 21))


def test_more_workers_than_nodes_is_an_error_that_says_so(serve):
    server = serve("16-18")
    server.logged("nodes 16 to 18 are all in use: give this host more of them", 1)
