"""Measures how long a call takes and how large files are."""

from __future__ import annotations

import gzip
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from components.model_exporter.batches import Array, Batch

SIZES = (1, 1024)
"""The rows of the batches whose calls are timed."""
_CALLS = 30
"""Calls to take the median of. With 10 it moved by a tenth between repetitions, with 30 by less."""
_WARM_UP = 3


def measure_milliseconds(predict: Callable[[Batch], Array], batch: Batch) -> dict[str, float]:
    """Returns the median time of a call in milliseconds by the number of rows.

    Args:
      predict: the function to time.
      batch: rows to take; they are repeated where they are too few.
    """
    return {str(rows): _measure(predict, _resize(batch, rows)) for rows in SIZES}


def _measure(predict: Callable[[Batch], Array], batch: Batch) -> float:
    times = []
    for _ in range(_WARM_UP + _CALLS):
        start = time.perf_counter()
        predict(batch)
        times.append(time.perf_counter() - start)
    return round(1000 * statistics.median(times[_WARM_UP:]), 4)


def _resize(batch: Batch, rows: int) -> Batch:
    return {n: np.resize(values, (rows, *values.shape[1:])) for n, values in batch.items()}


def measure_bytes(path: str) -> tuple[int, int]:
    """Returns the bytes of a file, or of all files below a directory, plain and after gzip."""
    files = [path]
    if os.path.isdir(path):
        files = [os.path.join(parent, n) for parent, _, names in os.walk(path) for n in names]
    contents = [Path(file).read_bytes() for file in files]
    return sum(map(len, contents)), sum(len(gzip.compress(c, mtime=0)) for c in contents)
