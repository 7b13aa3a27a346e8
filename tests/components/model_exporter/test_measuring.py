"""Times and sizes."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from components.model_exporter.batches import Array, Batch
from components.model_exporter.measuring import measure_bytes, measure_milliseconds


def test_the_time_of_a_call_is_measured_with_batches_of_both_sizes() -> None:
    sizes: list[int] = []

    def predict(batch: Batch) -> Array:
        sizes.append(len(batch["a"]))
        time.sleep(0.001 if len(batch["a"]) == 1 else 0.004)
        return batch["a"]

    times = measure_milliseconds(predict, {"a": np.zeros((3, 2), np.float32)})
    assert set(sizes) == {1, 1024}
    assert 1 <= times["1"] < times["1024"]


def test_the_size_of_a_directory_is_that_of_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "a").write_bytes(bytes(10_000))
    (tmp_path / "below/b").write_bytes(bytes(5_000))
    size, compressed = measure_bytes(str(tmp_path))
    assert size == 15_000
    assert compressed < 200
    assert measure_bytes(str(tmp_path / "a"))[0] == 10_000
