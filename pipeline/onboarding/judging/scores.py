"""Scores on held-out rows, and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.config import Task
from pipeline.onboarding.reading.arrays import Floats, ranks_of

METRIC: dict[Task, str] = {"binary": "AUC", "multiclass": "accuracy", "regression": "R²"}


@dataclass(frozen=True)
class Score:
    """A score between that of no knowledge, `trivial`, and 1."""

    task: Task
    value: float
    trivial: float
    rows: int
    """What the score's precision depends on: the rows, or those of the rarer of two classes."""

    def __str__(self) -> str:
        return f"{METRIC[self.task]} {self.value:.3f}"

    @property
    def skill(self) -> float:
        """The share of the way from the trivial score to a perfect one; 0 if it is below."""
        return max(0.0, (self.value - self.trivial) / (1 - self.trivial))

    @property
    def certain_skill(self) -> float:
        """What `skill` is at least, with about 97 % certainty.

        Of a score without a single error in n rows, the rule of three says 1 - 3/n.
        """
        error = 1 - self.skill
        return 1 - error - 2 * math.sqrt(error / max(self.rows, 1)) - 3 / max(self.rows, 1)


@dataclass(frozen=True)
class Reach:
    """What several columns together predict."""

    score: Score
    """The mean of the scores of the folds."""
    by_fold: Floats
    """float64 [folds]."""
    mean_error: float | None = None
    """How far the mean is off on average, for numbers with so long a tail that this says more."""


def rate(task: Task, targets: Floats, predicted: Floats) -> float:
    """Rates predictions by the metric of the task; both are [rows, targets].

    Binary: one target, 1 for the positive class, and any score that rises with it. Multiclass: one
    target a class, of which the largest counts. Regression: one target, the number.
    """
    return _SCORERS[task](targets, predicted)


def _auc(targets: Floats, predicted: Floats) -> float:
    """The area under the ROC curve, by ranks; 0.5 if one of the classes is absent."""
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


_SCORERS = {"binary": _auc, "multiclass": _accuracy, "regression": _r_squared}
