"""Threads beside the caller make the next item, or work until a `with` statement ends."""

import threading
from collections.abc import Iterator

import pytest

from pipeline.core.threads import read_ahead, work_beside


def test_items_come_in_order() -> None:
    assert list(read_ahead(iter([1, 2, 3]))) == [1, 2, 3]
    assert list(read_ahead(iter(()))) == []


def test_the_next_item_is_made_before_it_is_asked_for() -> None:
    second_begun = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        second_begun.set()
        yield 2

    ahead = read_ahead(items())
    assert next(ahead) == 1
    assert second_begun.wait(10)
    assert list(ahead) == [2]


def test_an_error_of_the_source_reaches_the_caller() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("cut")

    ahead = read_ahead(items())
    assert next(ahead) == 1
    with pytest.raises(OSError, match="cut"):
        next(ahead)


def test_the_work_goes_on_until_the_end_and_is_waited_for() -> None:
    started, seen = threading.Event(), []

    def work(ended: threading.Event) -> None:
        started.set()
        seen.append(ended.wait(60))

    with work_beside(work, "some work"):
        assert started.wait(60)
        assert seen == []
        assert "some work" in {thread.name for thread in threading.enumerate()}
    assert seen == [True]


def test_the_work_ends_after_an_error_too() -> None:
    with pytest.raises(ValueError, match="a mistake"), work_beside(threading.Event.wait, "waiting"):
        raise ValueError("a mistake")
    assert "waiting" not in {thread.name for thread in threading.enumerate()}
