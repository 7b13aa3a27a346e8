"""The loss of each row, by which rows and features are ranked."""

from __future__ import annotations

import numpy as np

from components.predictions.terms import CERTAIN, Array
from pipeline.config import Task

LOSS_NAMES: dict[Task, str] = {
    "binary": "log loss",
    "multiclass": "log loss",
    "regression": "mean absolute error",
}
"""The mean of `row_losses` in the field's words."""


def row_losses(task: Task, labels: Array, predictions: Array) -> Array:
    """Returns the log loss of each row, or the absolute error in a regression: float64 [n].

    The loss is NaN where a prediction is not finite or the label is none of the classes.

    Args:
      task: the task.
      labels: indices of classes, -1 for a label that is none of them, or numbers; [n].
      predictions: [n], or [n, classes] if multiclass.
    """
    p = predictions.astype(np.float64)
    if task == "regression":
        losses: Array = np.where(np.isfinite(p), np.abs(labels - p), np.nan)
    else:
        of_label = probabilities_of_labels(task, labels, p)
        losses = -np.log(np.clip(of_label, CERTAIN, 1 - CERTAIN))
    return losses


def probabilities_of_labels(task: Task, labels: Array, predictions: Array) -> Array:
    """Returns the predicted probability of each row's label, or NaN: float64 [n]."""
    p = predictions.astype(np.float64)
    known = labels >= 0
    if task == "binary":
        of_label = np.where(labels > 0, p, 1 - p)
        finite = np.isfinite(p)
    else:
        finite = np.isfinite(p).all(axis=1)
        of_label = p[np.arange(len(p)), np.where(known, labels, 0)]
        with np.errstate(invalid="ignore", divide="ignore"):
            of_label = of_label / p.sum(axis=1)
    return np.where(known & finite, of_label, np.nan)
