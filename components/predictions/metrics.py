"""The Evaluator's metrics from rows of predictions, with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.config import Task

Array = npt.NDArray[Any]


def metrics(
    labels: Array,
    predictions: Array,
    task: Task,
    classes: Sequence[str],
    weights: Array | None = None,
) -> dict[str, float]:
    """Returns the metrics by name, as the Evaluator computes them; NaN where one is undefined.

    Args:
      labels: class indices int64 [n], or numbers [n] in a regression.
      predictions: [n], or [n, classes] if multiclass.
      task: the task.
      classes: the names of the classes; empty in a regression.
      weights: how often each row counts, [n]; None for once.
    """
    raise NotImplementedError


def replicate_metrics(
    labels: Array, predictions: Array, task: Task, classes: Sequence[str], weights: Array
) -> dict[str, Array]:
    """Returns `metrics` for many weightings at once: `weights` and the values are [weightings, n]
    and [weightings]."""
    raise NotImplementedError
