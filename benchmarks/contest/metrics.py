"""Scores predictions, and tests whether one model is significantly better than another.

The difference of two models is bootstrapped over the seeds, each with another split and other first
weights, and over the rows of each test split. Both models predict the same rows, so the difficulty
that a row has for both models cancels out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Answers = npt.NDArray[np.float64]
"""Predictions: numbers [rows], probabilities of the second class [rows], or probabilities of all
classes [rows, classes]."""
Weights = npt.NDArray[np.float64]
"""How often each row counts, float64 [rows]."""

METRICS = {"binary": "auc", "multiclass": "log_loss", "regression": "rmse"}
"""The metric by which models are compared, by task."""
_LEAST_PROBABILITY = 1e-7
"""Lower probabilities of the true class count as this one: 0 would make the loss infinite."""
_RESAMPLES = 1000
"""Bootstrap samples: the ends of the interval lie at the 25th sample from either side."""


def loss(task: str, labels: Any, answers: Answers) -> float:
    """Returns the mean over rows of the loss that the task's models minimize."""
    return float(row_losses(task, labels, answers).mean())


def row_losses(task: str, labels: Any, answers: Answers) -> npt.NDArray[np.float64]:
    """Returns squared errors, or negative logarithms of the true class's probability, [rows]."""
    if task == "regression":
        squared: npt.NDArray[np.float64] = (answers - labels) ** 2
        return squared
    if task == "binary":
        answers = np.stack([1 - answers, answers], axis=1)
    probabilities = answers[np.arange(len(labels)), labels]
    losses: npt.NDArray[np.float64] = -np.log(np.maximum(probabilities, _LEAST_PROBABILITY))
    return losses


def measure(task: str, labels: Any, answers: Answers) -> float:
    """Returns the task's metric of the predictions."""
    return _make_weighted_metric(task, labels, answers)(np.ones(len(labels)))


@dataclass(frozen=True)
class Difference:
    """How much better one model is than another, in the metric's unit."""

    mean: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the 95 % interval."""

    @property
    def verdict(self) -> str:
        """`ahead` or `behind` if the interval does not contain 0, else `level`."""
        if self.low > 0:
            return "ahead"
        return "behind" if self.high < 0 else "level"


def compare(
    task: str, labels: Sequence[Any], ours: Sequence[Answers], theirs: Sequence[Answers]
) -> Difference:
    """Compares two models over all seeds; the difference is positive if ours is better.

    The three sequences have one item per seed.
    """
    generator = np.random.default_rng(0)
    pairs = list(zip(labels, ours, theirs, strict=True))
    exact = np.mean([_make_difference(task, *pair)(np.ones(len(pair[0]))) for pair in pairs])
    by_seed = np.array([_resample_rows(task, *pair, generator) for pair in pairs])
    chosen = generator.integers(len(pairs), size=(_RESAMPLES, len(pairs)))
    draws = generator.integers(_RESAMPLES, size=chosen.shape)
    low, high = np.quantile(by_seed[chosen, draws].mean(axis=1), (0.025, 0.975))
    return Difference(float(exact), float(low), float(high))


def _resample_rows(
    task: str, labels: Any, ours: Answers, theirs: Answers, generator: np.random.Generator
) -> list[float]:
    """Returns the differences of two models on bootstrap samples of one seed's test rows."""
    difference, rows = _make_difference(task, labels, ours, theirs), len(labels)
    draws = (generator.integers(rows, size=rows) for _ in range(_RESAMPLES))
    return [difference(np.bincount(draw, minlength=rows).astype(float)) for draw in draws]


def _make_difference(
    task: str, labels: Any, ours: Answers, theirs: Answers
) -> Callable[[Weights], float]:
    first = _make_weighted_metric(task, labels, ours)
    second = _make_weighted_metric(task, labels, theirs)
    sign = 1 if task == "binary" else -1
    return lambda weights: sign * (first(weights) - second(weights))


def _make_weighted_metric(task: str, labels: Any, answers: Answers) -> Callable[[Weights], float]:
    """Returns the metric as a function of row weights; what they do not change is computed once."""
    if task == "binary":
        return _make_auc(labels, answers)
    losses = row_losses(task, labels, answers)
    if task == "regression":
        return lambda weights: float(np.sqrt(np.average(losses, weights=weights)))
    return lambda weights: float(np.average(losses, weights=weights))


def _make_auc(labels: Any, answers: Answers) -> Callable[[Weights], float]:
    """Returns the area under the ROC curve as a function of row weights; ties count half."""
    distinct, place = np.unique(answers, return_inverse=True)

    def area(weights: Weights) -> float:
        positive = np.bincount(place, weights * labels, len(distinct))
        negative = np.bincount(place, weights * (1 - labels), len(distinct))
        below = np.cumsum(negative) - negative / 2
        return float((positive * below).sum() / (positive.sum() * negative.sum()))

    return area
