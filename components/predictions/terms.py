"""What each row adds to the metrics of its task.

The Evaluator adds these terms up batch by batch, the bootstrap by the weights of its replicates;
`formulas.py` turns the sums into metrics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CERTAIN = 1e-7
"""The smallest distance of a probability from 0 and 1 before its logarithm is taken.

Keras uses the same value. One example costs at most a log loss of 16.1.
"""
THRESHOLD = 0.5
"""A row with this probability or more is predicted to be positive, as the served model answers."""
_LEAST_PROBABILITY = 1e-12
"""Smaller probabilities share a bucket, which bounds the buckets to 57,000."""
_LARGEST_EXACT_IN_FLOAT64 = 2**53
"""Larger whole numbers are not exact as float64."""
_BUCKETS_PER_LOGIT = 1024
"""The odds of two scores in one bucket differ by less than 0.1 %.

The ROC area then differs from the exact area by less than 0.00002 on the tests' 5,000 examples.
"""


@dataclass(frozen=True)
class BinaryTerms:
    """The rows of a binary classification, each field [n]."""

    positive: Array
    """Whether the row is of the positive class, bool."""
    predicted: Array
    """Whether the row is predicted to be of the positive class, bool."""
    probabilities: Array
    """The predicted probabilities of the positive class, float64; 0 if not finite."""
    buckets: Array
    """The bucket of each probability, int64; equally wide in log-odds, see `bucket_scores`."""
    entropies: Array
    """float64."""
    invalid: Array
    """Whether the probability is not finite, bool."""

    @classmethod
    def from_rows(cls, labels: Array, predictions: Array) -> BinaryTerms:
        """Returns the terms of rows: `labels` 0 or 1, `predictions` probabilities, both [n]."""
        positive = labels > THRESHOLD
        p = predictions.astype(np.float64)
        valid = np.isfinite(p)
        p = np.where(valid, p, 0.0)
        of_label = np.where(positive, p, 1 - p)
        entropies = -np.log(np.clip(of_label, CERTAIN, 1 - CERTAIN))
        return cls(positive, p >= THRESHOLD, p, bucket_scores(p), entropies, ~valid)


def bucket_scores(probabilities: Array) -> Array:
    """Returns the bucket of each probability: int64 [n].

    The buckets are equally wide in log-odds. Buckets of equal width in probability would merge most
    scores of a rare class, whose probabilities all lie near zero.
    """
    p = np.clip(probabilities, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    buckets = np.floor((np.log(p) - np.log1p(-p)) * _BUCKETS_PER_LOGIT)
    return np.asarray(buckets, np.int64)


@dataclass(frozen=True)
class MulticlassTerms:
    """The rows of a multiclass classification, each field [n]."""

    actual: Array
    """The index of the row's class, int64."""
    predicted: Array
    """The index of the most probable class, int64."""
    entropies: Array
    """float64."""
    invalid: Array
    """Whether a probability is not finite, bool."""

    @classmethod
    def from_rows(cls, labels: Array, predictions: Array) -> MulticlassTerms:
        """Returns the terms of rows: `labels` indices [n], `predictions` [n, classes]."""
        valid = np.isfinite(predictions).all(axis=1)
        p = np.where(valid[:, None], predictions, 1 / predictions.shape[1]).astype(np.float64)
        actual = labels.astype(np.int64)
        of_label = p[np.arange(len(p)), actual] / p.sum(axis=1)
        return cls(actual, p.argmax(axis=1), -np.log(np.clip(of_label, CERTAIN, 1)), ~valid)


@dataclass(frozen=True)
class RegressionTerms:
    """The rows of a regression, each field float64 [n]."""

    labels: Array
    predictions: Array
    absolute: Array
    """The absolute errors."""
    squared: Array
    """The squared errors."""

    @classmethod
    def from_rows(cls, labels: Array, predictions: Array) -> RegressionTerms:
        """Returns the terms of rows: `labels` and `predictions` [n]."""
        y, p = labels.astype(np.float64), predictions.astype(np.float64)
        errors = p - y
        with np.errstate(over="ignore"):
            return cls(y, p, np.abs(errors), np.square(errors))


def describe_number(number: float) -> str:
    """Returns a label or a prediction of a regression with all digits that the tables hold.

    Examples and predictions hold float32: more digits would show how float32 rounds. Whole numbers
    are exact.
    """
    if math.isfinite(number) and number == int(number) and abs(number) < _LARGEST_EXACT_IN_FLOAT64:
        return str(int(number))
    return str(np.float32(number))
