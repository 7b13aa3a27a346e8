"""Threads that work beside the caller."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Item = TypeVar("_Item")


def read_ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """Yields the items while a thread makes the next one; an item that is None ends the iteration.

    Threads help here because Arrow reads and casts without the GIL.
    """
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(next, items, None)
        while (item := pending.result()) is not None:
            pending = pool.submit(next, items, None)
            yield item


@contextlib.contextmanager
def work_beside(work: Callable[[threading.Event], None], name: str) -> Iterator[None]:
    """Calls `work` in a thread, and waits for its end after the `with` statement.

    Args:
      work: gets an event that is set when the `with` statement ends, and returns soon after.
      name: of the thread, for those who look at a process.
    """
    ended = threading.Event()
    thread = threading.Thread(target=work, args=(ended,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
