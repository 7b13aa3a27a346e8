"""The bound a model must keep: above knowing nothing, within reach, and not a matter of luck.

The trivial score is known or counted, what is within reach is what the columns' means predict on
held-out rows, and the standard error of a score on the test split says how far chance alone may
push it. The bound lies a quarter of the way from trivial to within reach, and lower if two standard
errors ask for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.config import Threshold
from pipeline.core.text import counted
from pipeline.onboarding.choosing.splits import Rehearsal
from pipeline.onboarding.judging.scores import METRIC, Reach, Score

_PART_OF_THE_WAY = 0.25
_SURE = 4.0
"""Standard errors of the score on the whole table that a signal must stand out by; on tables of
pure noise, one in a hundred does."""
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
    why_bound: str
    why_may_worsen_by: str
    warning: str = ""


def guess_bound(reach: Reach, split: Rehearsal, untried: Sequence[str] = ()) -> Bound:
    """The threshold; `reach` is what the columns predict together; of the `untried` ones
    little is known."""
    score = reach.score
    error = _standard_error(reach, split)
    is_clear = _is_clear(score, error, split)
    warning = (
        f"the columns hardly predict the label: {METRIC[score.task]} {score.value:.2f} on held-out "
        f"rows, {score.trivial:.2f} without looking; the threshold may be missed"
    )
    if untried:
        warning = (
            f"{', '.join(untried)}: what the words of texts and the parts of times predict was not "
            "tried, and columns as they are predict hardly anything; the threshold asks for no "
            "more than knowing nothing"
        )
    bound = _lower(score, error) if is_clear else score.trivial
    threshold = Threshold(
        metric=_METRICS[score.task],
        at_least=math.floor(100 * bound) / 100,
        may_worsen_by=max(_LEAST_TOLERANCE[score.task], math.ceil(100 * error) / 100),
    )
    figures = (
        f"{_TRIVIAL[score.task]} {score.trivial:.2f}, the columns' means {score.value:.2f} on "
        f"held-out rows, ± {error:.2f} on {counted(split.rows['test'], 'test row')}"
    )
    made = Bound(
        threshold,
        f"{figures}; {_reason(bound, score)}",
        "about what chance does to it on this test split",
    )
    if reach.mean_error is not None:
        made = _bound_of_error(reach.mean_error)
    return made if is_clear else replace(made, warning=warning)


def _reason(bound: float, score: Score) -> str:
    """Why the bound is so far below what is within reach."""
    if bound < score.trivial:
        return "below the first, since chance may draw hard test rows"
    if bound == score.trivial:
        return "no more than the first, since the columns promise no more"
    return (
        "at most a quarter of the way between, so that a sound model passes unedited: "
        "raise it after the first run"
    )


def _bound_of_error(mean_error: float) -> Bound:
    """For numbers with a very long tail: a few of them make R² what it is, whatever the model."""
    threshold = Threshold(
        metric="mae",
        at_most=float(f"{mean_error:.3g}"),
        may_worsen_by=float(f"{mean_error / 10:.2g}"),
    )
    why = (
        "always the mean is so far off; R² would hang on a few extreme labels: lower it after the "
        "first run"
    )
    return Bound(threshold, why, "a tenth of that")


def _is_clear(score: Score, error: float, split: Rehearsal) -> bool:
    """Whether the columns predict the label better than chance could make them look."""
    rows = max(sum(split.rows.values()), 1)
    return score.value - score.trivial > _SURE * error * math.sqrt(split.rows["test"] / rows)


def _lower(score: Score, error: float) -> float:
    near = score.trivial + _PART_OF_THE_WAY * (score.value - score.trivial)
    lowest = score.trivial - min(error, _MOST_BELOW_TRIVIAL)
    return max(lowest, min(near, score.value - 2 * error))


def _standard_error(reach: Reach, split: Rehearsal) -> float:
    """How far a score on the test split lies from the true one, by chance."""
    score, rows = reach.score, max(split.rows["test"], 2)
    if score.task == "binary":
        negatives, positives = split.counts[2]
        return auc_error(score.value, int(positives), int(negatives))
    if score.task == "multiclass":
        share = min(max(score.value, 0.05), 0.95)
        return math.sqrt(share * (1 - share) / rows)
    # Of R² the folds tell more than theory: long tails make it jump.
    fold_rows = score.rows / len(reach.by_fold)
    return float(reach.by_fold.std(ddof=1)) * math.sqrt(fold_rows / rows) + 1 / rows


def auc_error(auc: float, positives: int, negatives: int) -> float:
    """The standard error of an AUC after Hanley and McNeil (1982)."""
    p, n = max(positives, 1), max(negatives, 1)
    auc = min(max(auc, 0.5), 0.99)
    both_above = auc / (2 - auc)
    both_below = 2 * auc**2 / (1 + auc)
    variance = auc * (1 - auc) + (p - 1) * (both_above - auc**2) + (n - 1) * (both_below - auc**2)
    return math.sqrt(variance / (p * n))
