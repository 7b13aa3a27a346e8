"""The bound a model must keep: above knowing nothing, within reach, and not a matter of luck.

The trivial score is known or counted, what is within reach is what the columns' means predict on
held-out rows, and the standard error of a score on the test split says how far chance alone may
push it. The bound lies a quarter of the way from trivial to within reach, and lower if two standard
errors ask for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pipeline.config import Threshold
from pipeline.onboarding.evidence import METRIC, Score
from pipeline.onboarding.guess import counted
from pipeline.onboarding.splits import Rehearsal

_PART_OF_THE_WAY = 0.25
_SURE = 3.0
"""Standard errors of the score on the whole table that a signal must stand out by."""
_MOST_BELOW_TRIVIAL = 0.1
_METRICS = {"binary": "auc", "multiclass": "accuracy", "regression": "r2"}
_TRIVIAL = {
    "binary": "a coin gets",
    "multiclass": "always the most frequent class gets",
    "regression": "always the mean gets",
}
_LEAST_TOLERANCE = {"binary": 0.01, "multiclass": 0.01, "regression": 0.02}


@dataclass(frozen=True)
class Bound:
    """A threshold, and the figures it was made from."""

    threshold: Threshold
    why_at_least: str
    why_may_worsen_by: str
    warning: str


def guess_bound(reach: Reach, split: Rehearsal) -> Bound:
    """The threshold for the task's metric."""
    task = reach.task
    error = _standard_error(reach, by_fold, split)
    whole_error = error * math.sqrt(split.rows["test"] / max(sum(split.rows.values()), 1))
    gain = max(0.0, reach.value - reach.trivial)
    has_signal = gain > _SURE * whole_error
    bound = reach.trivial
    if has_signal:
        near = reach.trivial + _PART_OF_THE_WAY * gain
        lowest = reach.trivial - min(error, _MOST_BELOW_TRIVIAL)
        bound = max(lowest, min(near, reach.value - 2 * error))
    tolerance = max(_LEAST_TOLERANCE[task], math.ceil(100 * error) / 100)
    threshold = Threshold(
        metric=_METRICS[task],
        at_least=math.floor(100 * bound) / 100,
        may_worsen_by=tolerance,
    )
    name = METRIC[task]
    low = "; lower than that, so that a bad draw of test rows does not fail a good model"
    return Bound(
        threshold,
        f"{_TRIVIAL[task]} {reach.trivial:.2f}, the columns' means {reach.value:.2f} on held-out "
        f"rows, ± {error:.2f} on {counted(split.rows['test'], 'test row')}"
        + (low if bound < reach.trivial else ""),
        "about what chance does to it on this test split",
        ""
        if has_signal
        else f"the columns hardly predict the label: {name} {reach.value:.2f} "
        f"on held-out rows, {reach.trivial:.2f} without looking; the threshold may be missed",
    )


def _standard_error(reach: Reach, split: Rehearsal) -> float:
    """How far a score on the test split lies from the true one, by chance."""
    rows = max(split.rows["test"], 2)
    if reach.task == "binary":
        negatives, positives = split.counts[2]
        return auc_error(reach.value, int(positives), int(negatives))
    if reach.task == "multiclass":
        share = min(max(reach.value, 0.05), 0.95)
        return math.sqrt(share * (1 - share) / rows)
    # Of R² the folds tell more than theory: a long-tailed label makes it jump.
    fold_rows = reach.rows / len(by_fold)
    return float(by_fold.std(ddof=1)) * math.sqrt(fold_rows / rows) + 1 / rows


def auc_error(auc: float, positives: int, negatives: int) -> float:
    """The standard error of an AUC after Hanley and McNeil (1982)."""
    p, n = max(positives, 1), max(negatives, 1)
    auc = min(max(auc, 0.5), 0.99)
    both_above = auc / (2 - auc)
    both_below = 2 * auc**2 / (1 + auc)
    variance = auc * (1 - auc) + (p - 1) * (both_above - auc**2) + (n - 1) * (both_below - auc**2)
    return math.sqrt(variance / (p * n))
