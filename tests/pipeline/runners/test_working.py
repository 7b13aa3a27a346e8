"""What becomes of SIGTERM in a process that imports TensorFlow."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from pipeline.core.termination import interrupted_when_terminated


@pytest.fixture(autouse=True)
def _handler_stays() -> Iterator[None]:
    previous = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, previous)


def test_an_interrupt_stays_one_where_native_code_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(error: tf.errors.NotFoundError, *unused: Any) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(tf.errors.NotFoundError, "__init__", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught, interrupted_when_terminated():
        tf.io.gfile.exists(str(tmp_path / "missing"))
    assert "REPLACED BY KeyboardInterrupt" in str(caught.value.__cause__)


def test_an_interrupt_comes_once_and_what_fails_after_it_does_not_hide_it() -> None:
    def work() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            raise OSError("nothing to close")

    with pytest.raises(KeyboardInterrupt), interrupted_when_terminated():
        work()


def test_an_error_without_an_interrupt_is_itself() -> None:
    with pytest.raises(OSError, match="no such table"), interrupted_when_terminated():
        raise OSError("no such table")
