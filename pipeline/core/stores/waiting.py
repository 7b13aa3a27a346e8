"""Runs requests beside the thread that waits for them.

obstore waits in Rust, where Ctrl-C is not seen: a request to a store that does not answer would
hold a command for minutes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_Answer = TypeVar("_Answer")


def start_request(request: Callable[[], _Answer]) -> Future[_Answer]:
    """Returns the future answer of a request, which runs from now on.

    Its thread is a daemon: the process does not wait for it at its end.
    """
    answer: Future[_Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(request())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=run, name="store request", daemon=True).start()
    return answer


def await_request(request: Callable[[], _Answer]) -> _Answer:
    """Returns the answer of a request. Ctrl-C ends the wait."""
    return start_request(request).result()
