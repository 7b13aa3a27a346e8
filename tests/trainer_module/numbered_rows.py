"""Parquet files of numbered rows, as Transform writes them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf

from trainer_module.input.examples import Examples, open_examples
from trainer_module.names import LABEL_KEY

ROWS = 103
SPEC = {
    "row": tf.io.FixedLenFeature([1], tf.int64),
    "pair": tf.io.FixedLenFeature([2], tf.float32),
    LABEL_KEY: tf.io.FixedLenFeature([1], tf.float32),
}


def write_row_groups(path: Path, numbers: list[int]) -> None:
    table = pa.table(
        {
            "row": pa.array([[n] for n in numbers], pa.large_list(pa.int64())),
            "pair": pa.array([[-n, 0.5] for n in numbers], pa.large_list(pa.float32())),
            LABEL_KEY: pa.array([[-n] for n in numbers], pa.large_list(pa.float32())),
        }
    )
    pq.write_table(table, path, row_group_size=17, use_compliant_nested_type=False)


def write_examples(folder: Path) -> Examples:
    """Rows numbered through two files; the other columns hold the negated numbers."""
    for part, numbers in enumerate((range(60), range(60, ROWS))):
        write_row_groups(folder / f"part-{part}", list(numbers))
    return open_examples([f"{folder}/part-*"], SPEC)
