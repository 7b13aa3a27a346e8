"""Runs requests beside the thread that waits for them.

obstore waits in Rust, where Ctrl-C is not seen: a request to a store that does not answer would
hold a command for minutes.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

_Answer = TypeVar("_Answer")
_Item = TypeVar("_Item")

AT_ONCE = 16
"""Requests for many files: a store and a network's disk answer after 10 to 50 ms, so 10,000 files
one by one take minutes."""


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


def map_requests(
    request: Callable[[_Item], _Answer], items: Iterable[_Item], at_once: int = AT_ONCE
) -> Iterator[_Answer]:
    """Yields the answer for each item, in the order of the items; `at_once` requests run.

    An error is raised in its turn, and ends the requests for later items that have not started.
    """
    running: deque[Future[_Answer]] = deque()
    for item in items:
        running.append(start_request(partial(request, item)))
        if len(running) == at_once:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
