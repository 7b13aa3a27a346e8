"""The metrics from sums over rows.

Each sum may have leading axes [...], such as the replicates of a bootstrap; each metric then has
these axes, too. A metric without rows to count is NaN. A prediction that is NaN or infinite makes
every metric NaN, and NaN passes no threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from components.predictions.terms import Array
from pipeline.config.sections.metrics import metric_name

Values = dict[str, Array]


def binary_metrics(confusion: Array, scores: Array, sums: Array) -> Values:
    """Returns the metrics of a binary classification.

    Args:
      confusion: the number of rows by [..., label, predicted class], at probability 0.5.
      scores: the numbers of negatives and positives in each bucket of scores, [..., buckets, 2],
        the least score first.
      sums: sum of probabilities, sum of cross-entropies, number of non-finite probabilities,
        [..., 3].
    """
    tn, fp, fn, tp = np.moveaxis(confusion.reshape(*confusion.shape[:-2], 4), -1, 0)
    probabilities, entropies, invalid = np.moveaxis(sums, -1, 0)
    count = tn + fp + fn + tp
    recall, specificity = divide(tp, tp + fn), divide(tn, tn + fp)
    values = {
        "auc": _roc_area(scores),
        "pr_auc": _precision_recall_area(scores),
        "accuracy": divide(tp + tn, count),
        "balanced_accuracy": (recall + specificity) / 2,
        "precision": divide(tp, tp + fp),
        "recall": recall,
        "f1": divide(2 * tp, 2 * tp + fp + fn),
        "log_loss": divide(entropies, count),
        "calibration": divide(probabilities, tp + fn),
    }
    return _undefined_where(invalid > 0, values)


def multiclass_metrics(counts: Array, sums: Array, classes: Sequence[str]) -> Values:
    """Returns the metrics of a multiclass classification.

    Args:
      counts: rows of each class, predictions of each class, and hits, [..., 3, classes].
      sums: sum of cross-entropies, number of rows with a non-finite probability, [..., 2].
      classes: their names.
    """
    entropies, invalid = np.moveaxis(sums, -1, 0)
    actual, predicted, hits = np.moveaxis(counts, -2, 0)
    count = actual.sum(axis=-1)
    per_class = {
        "precision": divide(hits, predicted),
        "recall": divide(hits, actual),
        "f1": divide(2 * hits, actual + predicted),
    }
    occurring = (actual + predicted) > 0
    f1 = np.where(occurring, per_class["f1"], 0.0).sum(axis=-1)
    values = {
        "accuracy": divide(hits.sum(axis=-1), count),
        **{
            metric_name(name, class_name): of_classes[..., index]
            for name, of_classes in per_class.items()
            for index, class_name in enumerate(classes)
        },
        "macro_f1": divide(f1, occurring.sum(axis=-1)),
        "log_loss": divide(entropies, count),
    }
    return _undefined_where(invalid > 0, values)


def regression_metrics(count: Any, label_mean: Any, label_deviations: Any, sums: Array) -> Values:
    """Returns the metrics of a regression.

    Args:
      count: the number of rows, [...].
      label_mean: the mean label, [...].
      label_deviations: the sum of the labels' squared deviations from their mean, [...].
      sums: the sums of the predictions, of the absolute errors and of the squared errors,
        [..., 3].
    """
    predictions, absolute, squared = np.moveaxis(sums, -1, 0)
    values = {
        "rmse": np.sqrt(divide(squared, count)),
        "mae": divide(absolute, count),
        "calibration": divide(predictions, label_mean * count),
        "r2": 1 - divide(squared, label_deviations),
    }
    return _undefined_where(~np.isfinite(squared), values)


def divide(part: Any, whole: Any) -> Array:
    """Returns part / whole, and NaN where the whole is zero."""
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole != 0, part / whole, np.nan)


def to_floats(values: Mapping[str, Array]) -> dict[str, float]:
    """Returns the metrics of sums without leading axes as numbers."""
    return {name: float(value) for name, value in values.items()}


def _roc_area(scores: Array) -> Array:
    """Returns the probability that a positive scores above a negative; a tie counts half."""
    negatives, positives = np.moveaxis(scores, -1, 0)
    lower = np.cumsum(negatives, axis=-1) - negatives
    above = (positives * (lower + negatives / 2)).sum(axis=-1)
    return divide(above, negatives.sum(axis=-1) * positives.sum(axis=-1))


def _precision_recall_area(scores: Array) -> Array:
    """Returns the area under the curve of precision over recall.

    Points are joined by the interpolation of Davis and Goadrich (2006). From one point to the
    next, the true positives grow from a to a + d and the predicted positives from b to b + e.
    In between, precision at a + x is (a + x) / (b + x * e / d). The area is its integral over x.
    """
    negatives, positives = np.moveaxis(scores[..., ::-1, :], -1, 0)
    d, e = positives, negatives + positives
    a = np.cumsum(d, axis=-1) - d
    b = np.cumsum(e, axis=-1) - e
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(d > 0, d / e, 0.0)
        bend = slope * (a - b * slope) * np.log((b + e) / b)
    # From the origin to the first point (b = 0), precision is constant. A step without positives
    # has no width.
    steps = slope * d + np.where((b > 0) & (d > 0), bend, 0.0)
    return divide(steps.sum(axis=-1), positives.sum(axis=-1))


def _undefined_where(invalid: Any, values: Values) -> Values:
    return {name: np.where(invalid, np.nan, value) for name, value in values.items()}
