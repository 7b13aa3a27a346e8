"""The next item is made while the caller works on the current item."""

import threading
from collections.abc import Iterator

import pytest

from pipeline.core.read_ahead import read_ahead


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
