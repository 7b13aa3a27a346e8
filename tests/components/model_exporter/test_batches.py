"""Transformed rows on the disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from components.model_exporter.batches import read_batches, write_batch


def test_batches_come_back_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 0):
        write_batch(str(tmp_path), number, {"a": np.array([[number]]), "file": np.ones((1, 2))})
    batches = list(read_batches(str(tmp_path)))
    assert [batch["a"].item() for batch in batches] == [0, 2, 10]
    assert batches[0]["a"].dtype == np.int64
    assert batches[0]["file"].shape == (1, 2)
