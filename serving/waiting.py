"""Waits that end: a time limit that is cheap, and threads whose functions may hang.

`asyncio.timeout` needs Python 3.11, and `asyncio.wait_for` makes a task for each wait. The event
loop waits at its end for the threads of `asyncio.to_thread`: a network file system that hangs would
keep the process alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from serving.errors import timeout_error

T = TypeVar("T")


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[Callable[[float], None]]:
    """Cancels what the current task awaits in the context after so many seconds.

    Yields a function that shortens the time left to so many seconds.

    Raises:
      asyncio.TimeoutError: the time is over.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    is_over = False

    def end() -> None:
        nonlocal is_over
        is_over = True
        task.cancel()

    timer = loop.call_later(seconds, end)

    def shorten(left: float) -> None:
        nonlocal timer
        if loop.time() + left < timer.when():
            timer.cancel()
            timer = loop.call_later(left, end)

    try:
        yield shorten
    except asyncio.CancelledError:
        if not is_over:
            raise
        raise asyncio.TimeoutError from None
    finally:
        timer.cancel()


@contextlib.contextmanager
def request_limit(seconds: float) -> Iterator[None]:
    """Limits the time from the headers of a request to its predictions.

    Raises:
      RequestError: the time is over.
    """
    try:
        with time_limit(seconds):
            yield
    except asyncio.TimeoutError:
        raise timeout_error(seconds) from None


async def call_in_daemon(function: Callable[..., T], *arguments: Any) -> T:
    """Returns the function's result from a thread that the end of the process does not wait for.

    If the wait is cancelled, the function goes on, and its result is dropped.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        else:
            future.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = function(*arguments)
        except BaseException as raised:
            error = raised
        # The loop may have ended meanwhile.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver, result, error)

    threading.Thread(target=work, name=function.__qualname__, daemon=True).start()
    return await future
