"""The measures of each iteration, under the names and in the units of a network's epochs.

Only the loss is LightGBM's own. LightGBM's other metrics weight the rows, take a probability of 0.5
for the first class, and count the row of two equally likely classes as an error. Here, each row
counts once, and has the class that the served model would give it, as in a network's epochs and in
the Evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from trainer_module.heads import Head, RegressionHead, choose_second_class
from trainer_module.trees.library import lightgbm

_EVAL = "eval_"
_NEAR_HALF = 1e-6
"""Many times the spacing of float32 at 0.5, 6e-8. Only so near to 0.5 can float32 choose the other
class; to find the logits of all rows would take time in every iteration."""

Result = tuple[str, float, bool]
"""LightGBM's name of the metric, its value, and whether higher is better."""
Metrics = Callable[[npt.NDArray[Any], lightgbm.Dataset], list[Result]]
"""A function of the predictions of a dataset: probabilities, or numbers."""


def choose_row_metrics(objective: str) -> tuple[Metrics, Metrics]:
    """Returns the metrics to compute beside the loss, for training and for evaluation rows.

    The area under the ROC curve is for evaluation rows alone: it would take a sort of the training
    rows in every iteration.
    """
    plain = _ROW_METRICS[objective]

    def measure(predicted: npt.NDArray[Any], data: lightgbm.Dataset) -> list[Result]:
        labels = _labels_of(data)
        return [*plain(predicted, data), ("auc", compute_auc(labels, predicted), True)]

    return plain, measure if objective == "binary" else plain


def compute_auc(labels: npt.NDArray[Any], scores: npt.NDArray[Any]) -> float:
    """Returns the area under the ROC curve; rows of equal scores count half. 0.5 for one class.

    Args:
      labels: positive for the positive class, [rows].
      scores: any numbers that rise with the probability of that class, [rows].
    """
    order = np.argsort(scores)
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    is_positive = labels[order] > 0
    positive = np.add.reduceat(is_positive, starts, dtype=np.int64)
    negative = np.add.reduceat(~is_positive, starts, dtype=np.int64)
    pairs = float(positive.sum()) * float(negative.sum())
    below = np.cumsum(negative) - negative / 2
    return float((positive * below).sum() / pairs) if pairs else 0.5


def _measure_binary(predicted: npt.NDArray[Any], data: lightgbm.Dataset) -> list[Result]:
    is_wrong = _choose_second_class(predicted) != (_labels_of(data) > 0)
    return [("binary_error", float(is_wrong.mean()), False)]


def _choose_second_class(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Returns whether the served model would answer with the second class, bool [rows].

    It computes with float32, which rounds more probabilities to 0.5.
    """
    chosen: npt.NDArray[np.bool_] = probabilities >= 0.5
    near = np.flatnonzero(np.abs(probabilities - 0.5) < _NEAR_HALF)
    logits = np.log(probabilities[near] / (1 - probabilities[near]))
    chosen[near] = choose_second_class(logits.astype(np.float32)).numpy()
    return chosen


def _measure_multiclass(predicted: npt.NDArray[Any], data: lightgbm.Dataset) -> list[Result]:
    is_wrong = predicted.astype(np.float32).argmax(axis=1) != _labels_of(data)
    return [("multi_error", float(is_wrong.mean()), False)]


def _measure_regression(predicted: npt.NDArray[Any], data: lightgbm.Dataset) -> list[Result]:
    errors: npt.NDArray[np.float64] = predicted - _labels_of(data).astype(np.float64)
    squared, absolute = float((errors**2).mean()), float(np.abs(errors).mean())
    return [("rmse", squared**0.5, False), ("l1", absolute, False)]


_ROW_METRICS: dict[str, Metrics] = {
    "binary": _measure_binary,
    "multiclass": _measure_multiclass,
    "regression": _measure_regression,
}


def _labels_of(data: lightgbm.Dataset) -> npt.NDArray[Any]:
    labels = data.get_label()
    assert labels is not None
    return np.asarray(labels)


def name_measures(measured: Mapping[str, float], head: Head) -> dict[str, float]:
    """Returns the measures of both splits by the project's names.

    `measured` holds LightGBM's metrics of the training split, and those of the evaluation split
    after `eval_`. LightGBM fits standardized labels, so RMSE and MAE are scaled back.
    """
    deviation = head.deviation if isinstance(head, RegressionHead) else 1.0
    named: dict[str, float] = {}
    for key, value in measured.items():
        prefix = _EVAL if key.startswith(_EVAL) else ""
        for name, renamed in _rename(key.removeprefix(_EVAL), value, deviation).items():
            named[prefix + name] = renamed
    return named


def _rename(metric: str, value: float, deviation: float) -> dict[str, float]:
    if metric == "rmse":
        return {"rmse": value * deviation}
    if metric == "l1":
        return {"mae": value * deviation}
    if metric in ("binary_error", "multi_error"):
        return {"accuracy": 1 - value}
    return {"auc" if metric == "auc" else "loss": value}
