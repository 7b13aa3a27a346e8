"""Threads that transform the pieces of a file. test_executor.py transforms whole files."""

from __future__ import annotations

from collections.abc import Iterator

from components.transform.materialize import _map_in_threads
from pipeline.core.processes import available_cores


def test_threads_keep_the_order_of_the_pieces_and_read_few_ahead() -> None:
    read: list[int] = []

    def read_pieces() -> Iterator[int]:
        for piece in range(1000):
            read.append(piece)
            yield piece

    results = _map_in_threads(lambda piece: 2 * piece, read_pieces())
    assert next(results) == 0
    assert len(read) == available_cores() + 1
    assert list(results) == [2 * piece for piece in range(1, 1000)]
