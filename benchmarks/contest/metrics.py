"""How good answers are, and whether those of one model are better than another's by more than luck.

The difference is resampled twice: over the seeds, of which each gave another division of the table
and other weights, and over the rows of each test split. Both models answer the same rows, so that
what makes a row hard for both drops out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Answers = npt.NDArray[np.float64]
"""Numbers [rows], the second class's probability [rows], or probabilities [rows, classes]."""
Weights = npt.NDArray[np.float64]
"""How often each row counts, [rows]."""

METRICS = {"binary": "auc", "multiclass": "log_loss", "regression": "rmse"}
"""What a task's models are compared by."""
_LEAST_PROBABILITY = 1e-7
_RESAMPLES = 1000


def loss(task: str, labels: Any, answers: Answers) -> float:
    """The mean over rows of what the models of a task make small."""
    return float(row_losses(task, labels, answers).mean())


def row_losses(task: str, labels: Any, answers: Answers) -> npt.NDArray[np.float64]:
    """The squared error, or the negative logarithm of the true class's probability; [rows]."""
    if task == "regression":
        squared: npt.NDArray[np.float64] = (answers - labels) ** 2
        return squared
    if task == "binary":
        answers = np.stack([1 - answers, answers], axis=1)
    probabilities = answers[np.arange(len(labels)), labels]
    losses: npt.NDArray[np.float64] = -np.log(np.maximum(probabilities, _LEAST_PROBABILITY))
    return losses


def measure(task: str, labels: Any, answers: Answers) -> float:
    """The task's metric."""
    return _weighted(task, labels, answers)(np.ones(len(labels)))


@dataclass(frozen=True)
class Difference:
    """By how much one model is better than another, in the metric's unit."""

    mean: float
    low: float
    high: float
    """The ends of the 95 % interval."""

    @property
    def verdict(self) -> str:
        if self.low > 0:
            return "ahead"
        return "behind" if self.high < 0 else "level"


def compare(
    task: str, labels: Sequence[Any], ours: Sequence[Answers], theirs: Sequence[Answers]
) -> Difference:
    """Over the seeds, of each of which come labels and answers; above 0 where ours are better."""
    generator = np.random.default_rng(0)
    pairs = list(zip(labels, ours, theirs, strict=True))
    exact = np.mean([_better(task, *pair)(np.ones(len(pair[0]))) for pair in pairs])
    by_seed = np.array([_resampled(task, *pair, generator) for pair in pairs])
    chosen = generator.integers(len(pairs), size=(_RESAMPLES, len(pairs)))
    draws = generator.integers(_RESAMPLES, size=chosen.shape)
    low, high = np.quantile(by_seed[chosen, draws].mean(axis=1), (0.025, 0.975))
    return Difference(float(exact), float(low), float(high))


def _resampled(
    task: str, labels: Any, ours: Answers, theirs: Answers, generator: np.random.Generator
) -> list[float]:
    better, rows = _better(task, labels, ours, theirs), len(labels)
    draws = (generator.integers(rows, size=rows) for _ in range(_RESAMPLES))
    return [better(np.bincount(draw, minlength=rows).astype(float)) for draw in draws]


def _better(task: str, labels: Any, ours: Answers, theirs: Answers) -> Callable[[Weights], float]:
    first, second = _weighted(task, labels, ours), _weighted(task, labels, theirs)
    sign = 1 if task == "binary" else -1
    return lambda weights: sign * (first(weights) - second(weights))


def _weighted(task: str, labels: Any, answers: Answers) -> Callable[[Weights], float]:
    """The metric as a function of the rows' weights: what does not change is worked out once."""
    if task == "binary":
        return _auc(labels, answers)
    losses = row_losses(task, labels, answers)
    if task == "regression":
        return lambda weights: float(np.sqrt(np.average(losses, weights=weights)))
    return lambda weights: float(np.average(losses, weights=weights))


def _auc(labels: Any, answers: Answers) -> Callable[[Weights], float]:
    distinct, place = np.unique(answers, return_inverse=True)

    def area(weights: Weights) -> float:
        positive = np.bincount(place, weights * labels, len(distinct))
        negative = np.bincount(place, weights * (1 - labels), len(distinct))
        below = np.cumsum(negative) - negative / 2
        return float((positive * below).sum() / (positive.sum() * negative.sum()))

    return area
