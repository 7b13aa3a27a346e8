import os
import signal
import threading
import time

import pytest

from pipeline.core.stores.waiting import await_request, start_request


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
