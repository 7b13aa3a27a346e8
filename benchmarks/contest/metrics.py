"""Scores predictions, and measures how well probabilities are calibrated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Answers = npt.NDArray[np.float64]
"""Predictions: numbers [rows], probabilities of the second class [rows], or probabilities of all
classes [rows, classes]."""
Weights = npt.NDArray[np.float64]
"""How often each row counts, float64 [rows]."""
Metric = Callable[[Weights], float]
"""A metric of fixed predictions, as a function of the rows' weights."""

METRICS = {
    "binary": ("auc", "log_loss"),
    "multiclass": ("log_loss",),
    "regression": ("rmse",),
}
"""The metrics by which models are compared, by task. The last one follows the loss that the models
minimize."""
CALIBRATION_ERROR = "calibration_error"
_LEAST_PROBABILITY = 1e-7
"""Lower probabilities of the true class count as this one: 0 would make the loss infinite."""
_BINS = 15
"""Bins of the calibration error: as in Guo et al. 2017, but with equally many rows in each."""


def loss(task: str, labels: Any, answers: Answers) -> float:
    """Returns the mean over rows of the loss that the task's models minimize."""
    return float((squared_errors if task == "regression" else log_losses)(labels, answers).mean())


def squared_errors(labels: Any, answers: Answers) -> npt.NDArray[np.float64]:
    """Returns the squared error of each row, [rows]."""
    squared: npt.NDArray[np.float64] = (answers - labels) ** 2
    return squared


def log_losses(labels: Any, answers: Answers) -> npt.NDArray[np.float64]:
    """Returns the negative logarithm of the true class's probability, [rows]."""
    probabilities = _of_all_classes(answers)[np.arange(len(labels)), labels]
    losses: npt.NDArray[np.float64] = -np.log(np.maximum(probabilities, _LEAST_PROBABILITY))
    return losses


def measure(task: str, labels: Any, answers: Answers) -> dict[str, float]:
    """Returns the task's metrics by name, for classes with the calibration error."""
    each = np.ones(len(labels))
    found = {name: make_metric(name, labels, answers)(each) for name in METRICS[task]}
    if task != "regression":
        found[CALIBRATION_ERROR] = calibration_error(labels, answers)
    return found


def make_metric(name: str, labels: Any, answers: Answers) -> Metric:
    """Returns the metric as a function of row weights; what they do not change is computed once."""
    if name == "auc":
        return _make_auc(labels, answers)
    if name == "rmse":
        squared = squared_errors(labels, answers)
        return lambda weights: float(np.sqrt(np.average(squared, weights=weights)))
    losses = log_losses(labels, answers)
    return lambda weights: float(np.average(losses, weights=weights))


def calibration_error(labels: Any, answers: Answers) -> float:
    """Returns the expected calibration error: by how much confidence and accuracy differ.

    The rows are sorted by their confidence into bins of equally many rows. The confidence is the
    probability of the second class, or with more classes, of the most probable class.
    """
    if answers.ndim == 1:
        confidences, hits = answers, np.asarray(labels) == 1
    else:
        confidences, hits = answers.max(axis=1), answers.argmax(axis=1) == labels
    bins = np.array_split(np.argsort(confidences, kind="stable"), _BINS)
    # Without rows, a bin's sum is 0.
    return float(sum(abs((confidences - hits)[rows].sum()) for rows in bins) / len(confidences))


def _of_all_classes(answers: Answers) -> Answers:
    return answers if answers.ndim == 2 else np.stack([1 - answers, answers], axis=1)


def _make_auc(labels: Any, answers: Answers) -> Metric:
    """Returns the area under the ROC curve as a function of row weights; ties count half.

    Without rows of one of the classes, the area is NaN.
    """
    distinct, place = np.unique(answers, return_inverse=True)

    def area(weights: Weights) -> float:
        positive = np.bincount(place, weights * labels, len(distinct))
        negative = np.bincount(place, weights * (1 - labels), len(distinct))
        below = np.cumsum(negative) - negative / 2
        pairs = positive.sum() * negative.sum()
        return float((positive * below).sum() / pairs) if pairs else np.nan

    return area
