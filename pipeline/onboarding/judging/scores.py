"""Metrics on held-out rows, and how certain they are."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.config import Task
from pipeline.onboarding.reading.arrays import Floats, ranks_of

METRIC: dict[Task, str] = {"binary": "AUC", "multiclass": "accuracy", "regression": "R²"}


@dataclass(frozen=True)
class Score:
    """A score between `trivial`, which needs no knowledge, and 1."""

    task: Task
    value: float
    trivial: float
    rows: int
    """What the precision depends on: the rows, or the rows of the rarer of two classes."""

    def __str__(self) -> str:
        return f"{METRIC[self.task]} {self.value:.3f}"

    @property
    def skill(self) -> float:
        """The share of the way from the trivial to a perfect score; 0 below the trivial score."""
        return max(0.0, (self.value - self.trivial) / (1 - self.trivial))

    @property
    def certain_skill(self) -> float:
        """A lower bound of `skill` with about 97 % certainty.

        Two standard errors of a rate of rare errors, and the rule of three: after n rows without an
        error, the bound is 1 - 3/n.
        """
        error = 1 - self.skill
        return 1 - error - 2 * math.sqrt(error / max(self.rows, 1)) - 3 / max(self.rows, 1)


@dataclass(frozen=True)
class BaselineScore:
    """How well several columns together predict the label."""

    score: Score
    """The mean over the folds."""
    by_fold: Floats
    """float64 [folds]."""
    mean_error: float | None = None
    """The mean absolute error of predicting the mean; only for labels with a very long tail."""


def compute_metric(task: Task, targets: Floats, predicted: Floats) -> float:
    """Computes the task's metric; both arrays are float64 [rows, targets].

    Binary: one target, 1 for the positive class, and any prediction that rises with it. Multiclass:
    one target per class; the largest prediction counts. Regression: one target, the number.
    """
    return _METRIC_FUNCTIONS[task](targets, predicted)


def _auc(targets: Floats, predicted: Floats) -> float:
    """Returns the area under the ROC curve, from ranks; 0.5 if one of the classes is absent."""
    positive = targets[:, 0] == 1
    p, n = int(positive.sum()), int((~positive).sum())
    if not p or not n:
        return 0.5
    ranks = ranks_of(predicted[:, 0])
    return float((ranks[positive].sum() - p * (p + 1) / 2) / (p * n))


def _accuracy(targets: Floats, predicted: Floats) -> float:
    return float((targets.argmax(axis=1) == predicted.argmax(axis=1)).mean())


def _r_squared(targets: Floats, predicted: Floats) -> float:
    total = float(((targets - targets.mean()) ** 2).sum())
    return 1 - float(((targets - predicted) ** 2).sum()) / total if total > 0 else 0.0


_METRIC_FUNCTIONS = {"binary": _auc, "multiclass": _accuracy, "regression": _r_squared}
