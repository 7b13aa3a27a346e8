"""Transformed rows on the disk, from which each export's process predicts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Batch = Mapping[str, Array]
"""Transformed features by name, float32 or int64 [rows, width] each."""

_PREFIX = "feature_"
"""Keeps a column `file` apart from NumPy's own parameter of that name."""


def write_batch(directory: str, number: int, batch: Batch) -> None:
    """Writes the batch with this number to a file in `directory`."""
    arrays = {_PREFIX + name: values for name, values in batch.items()}
    np.savez(os.path.join(directory, f"{number:08d}.npz"), **arrays)


def read_batches(directory: str) -> Iterator[dict[str, Array]]:
    """Yields the batches in `directory` in the order of their numbers."""
    for name in sorted(os.listdir(directory)):
        with np.load(os.path.join(directory, name)) as arrays:
            yield {key.removeprefix(_PREFIX): arrays[key] for key in arrays.files}
