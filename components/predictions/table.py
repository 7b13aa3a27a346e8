"""The table of predictions: its layout, and how it is written and read.

The table is a directory of Parquet files, `part-FIRSTROW.parquet`. The order of their names is the
order of the rows, so that `pandas.read_parquet(directory)` returns the whole table in order. The
columns:

- `row`, int64: the number of the row in the evaluated split, from 0. The files of the split are
  taken in the order of their names, the rows in the order of the file.
- `label`: the class as written, string; in a regression the label, float64.
- `probability`, float32: binary, the probability of the positive class. `probabilities`, a list of
  float32: multiclass, the probability of each class. `prediction`, float32: regression.
- `served_probability`, `served_probabilities` or `served_prediction`: the same of the served model,
  if the Evaluator compared with one.
- `slice:COLUMN`: the cell of each column that `evaluation` slices by; null if missing.

The metadata of each file have the key `predictions`: JSON with task, classes and split.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from components.predictions.metrics import Array
from pipeline.config import Task


@dataclass(frozen=True)
class Predictions:
    """Rows of the table, in order."""

    task: Task
    classes: tuple[str, ...]
    split: str
    rows: Array
    """The number of each row in the split, int64 [n]."""
    labels: Array
    """int64 [n], the index of the class; or the label of a regression, float64 [n]."""
    candidate: Array
    """The candidate's predictions, float32 [n], or [n, classes] if multiclass."""
    served: Array | None
    """The served model's predictions of the same rows; None without one."""
    slices: Mapping[str, pa.Array]
    """The cells of each column to slice by, [n]: int64, float32 or string, null if missing."""
    total: int
    """The rows of the split; more than n if only a sample was read."""


def read_predictions(uri: str, at_most: int | None = None, seed: int = 0) -> Predictions:
    """Returns the table in the directory `uri` of the Evaluator's artifact.

    Args:
      uri: the directory.
      at_most: read a random sample of this many rows if the table has more rows.
      seed: draws the sample.

    Raises:
      FileNotFoundError: the directory has no part of a table.
    """
    raise NotImplementedError
