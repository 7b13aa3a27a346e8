"""Time limits, and threads that may hang."""

import asyncio
import subprocess
import sys
import threading
import time
from http import HTTPStatus
from pathlib import Path

import pytest

from serving.errors import RequestError
from serving.waiting import call_in_daemon, request_limit, time_limit


def test_a_wait_ends_with_its_limit_and_the_task_goes_on() -> None:
    async def main() -> str:
        with pytest.raises(asyncio.TimeoutError), time_limit(0.05):
            await asyncio.sleep(30)
        with time_limit(30):
            await asyncio.sleep(0)
        return "done"

    assert asyncio.run(main()) == "done"


def test_a_limit_can_be_shortened_and_not_lengthened() -> None:
    async def wait(first: float, then: float) -> None:
        with time_limit(first) as shorten:
            shorten(then)
            await asyncio.sleep(20)

    async def main() -> None:
        for seconds in ((30, 0.05), (0.05, 30)):
            with pytest.raises(asyncio.TimeoutError):
                await wait(*seconds)

    asyncio.run(main())


def test_a_cancelled_task_is_cancelled_and_not_too_late() -> None:
    async def wait() -> None:
        with time_limit(30):
            await asyncio.sleep(30)

    async def main() -> None:
        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_request_whose_time_is_over_is_refused_with_the_key_to_set() -> None:
    async def main() -> None:
        with request_limit(0.05):
            await asyncio.sleep(20)

    with pytest.raises(
        RequestError, match=r"after 0\.05 s \(serving\.server\.request_s"
    ) as refusal:
        asyncio.run(main())
    assert refusal.value.status == HTTPStatus.SERVICE_UNAVAILABLE


def test_a_thread_gives_its_result_or_its_error() -> None:
    async def main() -> None:
        assert await call_in_daemon(max, 1, 2) == 2
        with pytest.raises(ValueError, match="invalid literal"):
            await call_in_daemon(int, "x")

    asyncio.run(main())


def test_a_late_result_is_dropped() -> None:
    async def main() -> None:
        may_go, has_gone = threading.Event(), threading.Event()

        def work() -> None:
            may_go.wait(30)
            has_gone.set()

        with pytest.raises(asyncio.TimeoutError), time_limit(0.05):
            await call_in_daemon(work)
        may_go.set()
        has_gone.wait(30)
        await asyncio.sleep(0.05)

    asyncio.run(main())


def test_the_process_ends_while_a_thread_hangs() -> None:
    program = """
import asyncio, threading
from serving.errors import RequestError
from serving.waiting import call_in_daemon, request_limit, time_limit

async def main():
    try:
        with time_limit(0.05):
            await call_in_daemon(threading.Event().wait)
    except asyncio.TimeoutError:
        print("over")

asyncio.run(main())
"""
    root = Path(__file__).parents[2]
    started = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert (ended.stdout, ended.returncode) == ("over\n", 0), ended.stderr
    assert time.monotonic() - started < 30
