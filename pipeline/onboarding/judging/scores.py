"""Metrics on held-out rows, and how certain they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.config import Task
from pipeline.onboarding.reading.arrays import Floats, Integers, ranks_of

GateMetric = Literal["auc", "accuracy", "macro_f1", "r2", "mae"]
"""The metrics that `init` proposes thresholds on."""
Fold = tuple[Floats, Floats]
"""The labels and the predictions of held-out rows, float64 [rows, targets] each."""
_SHOWN: Mapping[GateMetric, str] = {
    "auc": "AUC",
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "r2": "R²",
    "mae": "mean absolute error",
}
_SIGNAL_ERRORS = 4.0
"""Standard errors above the trivial score from which a metric shows a signal."""
_OF_COLUMN: Mapping[Task, GateMetric] = {
    "binary": "auc",
    "multiclass": "accuracy",
    "regression": "r2",
}
"""The metric of a single column."""


@dataclass(frozen=True)
class Score:
    """A score between `trivial`, which needs no knowledge, and 1."""

    task: Task
    value: float
    trivial: float
    rows: int
    """What the precision depends on: the rows, or the rows of the rarer of two classes."""

    def __str__(self) -> str:
        shown = f"{_SHOWN[_OF_COLUMN[self.task]]} {self.value:.3f}"
        # Whoever reads an AUC or R² knows what guessing gives.
        return f"{shown}, by guessing {self.trivial:.3f}" if self.task == "multiclass" else shown

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
    """How well several columns together predict the label, by the metric of the threshold."""

    score: Score
    """The mean over the folds."""
    by_fold: Floats
    """float64 [folds]."""
    metric: GateMetric
    fold_rows: float
    """The rows of a fold, on average."""
    constant_error: float | None = None
    """For `mae`: the error of the best constant. The score is the share of it that is removed."""

    @property
    def shown_metric(self) -> str:
        """The metric as people write it."""
        return _SHOWN[self.metric]

    @property
    def standard_error(self) -> float:
        """The standard error of a score on as many rows as a fold has, as seen in the folds."""
        return float(self.by_fold.std(ddof=1))


def summarize_folds(
    task: Task, metrics: Sequence[GateMetric], folds: Sequence[Fold], rows: int
) -> BaselineScore:
    """Returns the score by the first metric that shows a signal, or else by the first metric.

    Args:
      task: the task.
      metrics: the metrics that suit the label, the best first.
      folds: the labels and the predictions of held-out rows, float64 [rows, targets] each.
      rows: what the precision of the score depends on, see `Score.rows`.
    """
    found = [_summarize(task, metric, folds, rows) for metric in metrics]
    return next((f for f in found if _shows_signal(f)), found[0])


def _summarize(task: Task, metric: GateMetric, folds: Sequence[Fold], rows: int) -> BaselineScore:
    by_fold = np.array([compute_gate(metric, *fold) for fold in folds])
    values = np.concatenate([v for v, _ in folds])
    score = Score(task, float(by_fold.mean()), _trivial_score(metric, folds), rows)
    error = _constant_error(values) if metric == "mae" else None
    fold_rows = len(values) / len(folds)
    return BaselineScore(score, by_fold, metric, fold_rows, error)


def _shows_signal(found: BaselineScore) -> bool:
    error = found.standard_error / math.sqrt(len(found.by_fold))
    return found.score.value - found.score.trivial > _SIGNAL_ERRORS * error


def _trivial_score(metric: GateMetric, folds: Sequence[Fold]) -> float:
    """Returns the score of the best constant answer; for the AUC, of any."""
    if metric == "auc":
        return 0.5
    if metric in ("r2", "mae"):
        return 0.0
    rows_of = [values.sum(axis=0) for values, _ in folds]
    return float(np.mean([score_constant_answer(metric, rows) for rows in rows_of]))


def score_constant_answer(
    metric: GateMetric, rows: Floats | Integers, classes: float | None = None
) -> float:
    """Returns the score of predicting the most frequent class for every row.

    Args:
      metric: accuracy or macro F1.
      rows: the rows of each class, [classes].
      classes: the number of classes that occur; None to count them.
    """
    most, total = float(rows.max()), max(float(rows.sum()), 1.0)
    if metric == "accuracy":
        return most / total
    # The predicted class has this F1, and every other class that occurs has 0.
    occurring = float((rows > 0).sum()) if classes is None else classes
    return 2 * most / (total + most) / max(occurring, 1.0)


def compute_metric(task: Task, targets: Floats, predicted: Floats) -> float:
    """Computes the task's metric; both arrays are float64 [rows, targets].

    Binary: one target, 1 for the positive class, and any prediction that rises with it. Multiclass:
    one target per class; the largest prediction counts. Regression: one target, the number.
    """
    return _GATES[_OF_COLUMN[task]](targets, predicted)


def compute_gate(metric: GateMetric, values: Floats, predicted: Floats) -> float:
    """Computes the score that a threshold on `metric` stands for; higher is better.

    For `mae`, the share of the best constant's error that the predictions remove. Both arrays are
    float64 [rows, targets], see `compute_metric`.
    """
    return _GATES[metric](values, predicted)


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


def _macro_f1(targets: Floats, predicted: Floats) -> float:
    """Returns the mean F1 of the classes that occur or are predicted, as the Evaluator does."""
    actual, guessed = targets.argmax(axis=1), predicted.argmax(axis=1)
    classes = targets.shape[1]
    hits = np.bincount(actual[actual == guessed], minlength=classes)
    occurring = np.bincount(actual, minlength=classes) + np.bincount(guessed, minlength=classes)
    return float((2 * hits[occurring > 0] / occurring[occurring > 0]).mean())


def _error_removed(targets: Floats, predicted: Floats) -> float:
    """Returns the share of the best constant's mean absolute error that is removed."""
    constant = _constant_error(targets)
    return 1 - float(np.abs(targets - predicted).mean()) / constant if constant > 0 else 0.0


def _constant_error(values: Floats) -> float:
    """Returns the mean absolute error of the median: no constant has a smaller one."""
    return float(np.abs(values - np.median(values)).mean())


_GATES: Mapping[GateMetric, Callable[[Floats, Floats], float]] = {
    "auc": _auc,
    "accuracy": _accuracy,
    "macro_f1": _macro_f1,
    "r2": _r_squared,
    "mae": _error_removed,
}
