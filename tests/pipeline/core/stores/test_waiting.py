import os
import signal
import threading
import time

import pytest

from pipeline.core.stores.waiting import await_request, map_requests, start_request


def test_a_request_answers_or_raises() -> None:
    assert await_request(lambda: 3) == 3
    assert start_request(lambda: 4).result(timeout=10) == 4
    with pytest.raises(ZeroDivisionError):
        await_request(lambda: 1 // 0)


def test_ctrl_c_ends_the_wait_for_a_request() -> None:
    answered = threading.Event()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        await_request(lambda: answered.wait(60))
    assert time.monotonic() - begin < 30
    answered.set()


def test_many_requests_run_at_once_and_answer_in_order() -> None:
    together = threading.Barrier(3)

    def square(number: int) -> int:
        together.wait(60)
        return number * number

    assert list(map_requests(square, range(6), at_once=3)) == [0, 1, 4, 9, 16, 25]


def test_a_failed_request_is_told_in_its_turn_and_ends_later_ones() -> None:
    started: list[int] = []

    def divide(number: int) -> float:
        started.append(number)
        return 6 / (3 - number)

    answers = map_requests(divide, range(100), at_once=2)
    assert [next(answers), next(answers), next(answers)] == [2, 3, 6]
    with pytest.raises(ZeroDivisionError):
        next(answers)
    assert len(started) < 10
