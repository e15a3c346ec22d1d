# SPDX-License-Identifier: MIT
"""gunicorn reads this file by itself. The application is loaded before the workers are forked."""
from typing import Any

preload_app = True
workers = 4
threads = 8


def post_fork(server: Any, worker: Any) -> None:
    import orders

    orders.open_generator()
