# SPDX-License-Identifier: MIT
"""A service of many processes: each worker draws from a generator that it opened itself.

    POST /orders?n=2   {"ids": ["253479419526516736", "253479419526516737"]}

usage, in this folder: NODES=16-31 gunicorn orders:app
"""
import json
import os
from typing import Any, Callable, Dict, Iterable, List, Optional
from urllib.parse import parse_qs

from flakecore import FlakeError, Generator, IdStr, NodeInUseError

gen: Optional[Generator] = None  # never opened before the fork


def open_generator() -> None:
    """Takes the first free node of NODES, which no other host may have.

    A worker that dies frees its node, so its successor finds one.
    """
    global gen
    first, last = map(int, os.environ["NODES"].split("-"))
    for node in range(first, last + 1):
        try:
            gen = Generator(node=node, space="orders")
            return
        except NodeInUseError:
            pass
    raise SystemExit(f"nodes {first} to {last} are all in use: give this host more of them")


def app(environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    status, body = answer_to(parse_qs(environ["QUERY_STRING"]).get("n", ["1"])[0])
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(body).encode()]


def answer_to(n: str) -> "tuple[str, Dict[str, List[str]]]":
    assert gen is not None, "gunicorn.conf.py opens it"
    if n not in map(str, range(1, 1001)):
        return "400 Bad Request", {"error": ["n must be 1..1000"]}
    try:
        return "201 Created", {"ids": [IdStr(id) for id in gen.next_ids(int(n))]}
    except FlakeError as error:
        return "503 Service Unavailable", {"error": [error.name, str(error)]}
