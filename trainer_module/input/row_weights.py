"""Weights of rows in the loss: by class, by a column of the table, or by both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from pipeline.config import LabelConfig
from pipeline.core.errors import DataError
from trainer_module.input.examples import Examples
from trainer_module.names import WEIGHT_KEY

ClassWeights = Literal["balanced"] | Mapping[str, float] | None


@dataclass(frozen=True)
class RowWeights:
    """Weights of rows with a mean of about 1, so that the learning rate keeps its meaning."""

    by_class: tuple[float, ...] | None = None
    """One weight for each of `label.classes`, or None if all classes count the same.

    With balanced weights, a class without training rows gets 1, since its share is unknown.
    """
    mean: float = 1.0
    """Mean of the weight column in the training split."""

    def weigh_rows(self, labels: tf.Tensor, column: tf.Tensor | None) -> tf.Tensor | None:
        """Returns the weight of each row, float32 [batch, 1], or None if all rows count the same.

        `labels` and `column`, the weight column if there is one, are [batch, 1].
        """
        weights = None if column is None else column / self.mean
        if self.by_class is None:
            return weights
        classes = tf.gather(tf.constant(self.by_class, tf.float32), labels)
        return classes if weights is None else classes * weights

    def class_counts(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Returns the number of rows of each class, times the class's weight."""
        weights = np.array(1.0 if self.by_class is None else self.by_class)
        weighted: npt.NDArray[np.float64] = counts * weights
        return weighted


EQUAL = RowWeights()
"""All rows count the same."""


def fit_row_weights(
    label: LabelConfig, classes: ClassWeights, train: Examples, evaluation: Examples
) -> RowWeights:
    """Returns the weights of the configuration, scaled by the training split.

    Raises:
      DataError: a row's weight is missing, negative or infinite, or all weights of a split are 0.
    """
    mean = 1.0
    if label.weight_column is not None:
        mean = _mean(label.weight_column, "training", train.column(WEIGHT_KEY))
        _mean(label.weight_column, "evaluation", evaluation.column(WEIGHT_KEY))
    return RowWeights(_by_class(label.classes, classes, train.labels), mean)


def _by_class(
    names: tuple[str, ...], classes: ClassWeights, labels: npt.NDArray[Any]
) -> tuple[float, ...] | None:
    if classes is None:
        return None
    if classes != "balanced":
        stated = np.array([classes.get(name, 1.0) for name in names], np.float64)
        # With a mean of 1, losses are comparable between runs, and between networks and trees.
        mean = float(stated[labels.astype(np.int64)].mean())
        return tuple((stated / (mean or 1.0)).tolist())
    counts = np.bincount(labels.astype(np.int64), minlength=len(names))
    each = len(labels) / max(np.count_nonzero(counts), 1)
    return tuple(float(each / count) if count else 1.0 for count in counts)


def _mean(column: str, split: str, weights: npt.NDArray[Any]) -> float:
    bad = int((~np.isfinite(weights) | (weights < 0)).sum())
    if bad or not weights.any():
        problem = (
            f"missing, negative or infinite in {bad} of {len(weights)} rows" if bad else "all 0"
        )
        raise DataError(
            f"label.weight_column: '{column}' is {problem} of the {split} split",
            "correct the rows, or remove the key",
        )
    return float(weights.astype(np.float64).mean())
