"""Chooses the threshold that a model must reach to be pushed.

Three figures enter: the trivial score of guessing, the score of a quick fit (boosted trees, or a
simpler baseline) on held-out rows, and the standard error of a score on the test split. The
threshold lies three quarters of the way from the trivial score to that of the quick fit, or lower:
at least three standard errors below the quick fit. A broken model then misses the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.config import Threshold
from pipeline.core.text import counted
from pipeline.onboarding.choosing.splits import SplitCounts
from pipeline.onboarding.judging.scores import METRIC, BaselineScore, Score

_PART_OF_THE_WAY = 0.75
"""The proposal shall run unedited: the model may lose a quarter of what the quick fit found. On the
tables of docs/quality.md with an AUC, models lost at most a twentieth against LightGBM."""
_STANDARD_ERRORS_BELOW = 3
"""A model as good as the quick fit misses the threshold by chance in about one run of 700."""
_SURE = 4.0
"""Standard errors by which the baseline's score on the whole table must exceed the trivial score to
count as a signal. One in a hundred tables of pure noise still exceeds it."""
_MOST_BELOW_TRIVIAL = 0.1
"""However small the test split, the threshold stays this close to the trivial score."""
_LEAST_TOLERANCE = {"binary": 0.01, "multiclass": 0.01, "regression": 0.02}
"""Smallest `may_worsen_by`: on large test splits, the standard error alone would leave no room for
differences between two trainings."""
_MEAN_ERROR_TOLERANCE = 10
"""`may_worsen_by` is a tenth of a threshold on the mean absolute error."""
_METRICS = {"binary": "auc", "multiclass": "accuracy", "regression": "r2"}
_TRIVIAL = {
    "binary": "guessing",
    "multiclass": "always predicting the most frequent class",
    "regression": "always predicting the mean",
}


@dataclass(frozen=True)
class Bound:
    """A threshold with the reasons for its values."""

    threshold: Threshold
    why_bound: str
    why_may_worsen_by: str
    warning: str = ""


def guess_bound(baseline: BaselineScore, split: SplitCounts, unscored: Sequence[str] = ()) -> Bound:
    """Returns the threshold.

    Args:
      baseline: what the columns predict together.
      split: the rows of each split.
      unscored: columns of texts and times, whose words and parts the baseline did not score.
    """
    if baseline.mean_error is not None:
        bound = _make_mean_error_bound(baseline.mean_error)
    else:
        bound = _make_score_bound(baseline, split)
    if _is_clear(baseline, split):
        return bound
    return replace(bound, warning=_make_warning(baseline.score, unscored))


def _make_score_bound(baseline: BaselineScore, split: SplitCounts) -> Bound:
    score = baseline.score
    error = _standard_error(baseline, split)
    at_least = _choose_bound(score, error) if _is_clear(baseline, split) else score.trivial
    threshold = Threshold(
        metric=_METRICS[score.task],
        at_least=math.floor(100 * at_least) / 100,
        may_worsen_by=max(_LEAST_TOLERANCE[score.task], math.ceil(100 * error) / 100),
    )
    figures = (
        f"{_TRIVIAL[score.task]} scores {score.trivial:.2f}, a quick fit {score.value:.2f} "
        f"(standard error {error:.2f} on {counted(split.rows['test'], 'test row')})"
    )
    return Bound(
        threshold,
        f"{figures}; {_explain_bound(at_least, score)}",
        "about the standard error on this test split",
    )


def _make_mean_error_bound(mean_error: float) -> Bound:
    """For labels with a very long tail, where a few rows decide R², whatever the model."""
    threshold = Threshold(
        metric="mae",
        at_most=float(f"{mean_error:.3g}"),
        may_worsen_by=float(f"{mean_error / _MEAN_ERROR_TOLERANCE:.2g}"),
    )
    why = (
        "the error of always predicting the mean; R² would depend on a few extreme labels: lower "
        "the threshold after the first run"
    )
    return Bound(threshold, why, "a tenth of the threshold")


def _make_warning(score: Score, unscored: Sequence[str]) -> str:
    if unscored:
        return (
            f"{', '.join(unscored)}: the words of texts and the parts of dates were not scored, "
            "and everything else hardly predicts the label; so the threshold asks for no more "
            f"than {_TRIVIAL[score.task]}"
        )
    return (
        f"the columns hardly predict the label: a quick fit scores {METRIC[score.task]} "
        f"{score.value:.2f} on held-out rows, {_TRIVIAL[score.task]} {score.trivial:.2f}; a model "
        "may miss the threshold"
    )


def _explain_bound(at_least: float, score: Score) -> str:
    """Says why the threshold is so far below the baseline."""
    if at_least < score.trivial:
        return "the threshold is lower still, since a small test split may be hard by chance"
    if at_least == score.trivial:
        return "the baseline is no better, so the threshold asks for no more"
    return (
        "the threshold is three quarters of the way between, or lower for the noise of the test "
        "rows: raise it after the first run"
    )


def _is_clear(baseline: BaselineScore, split: SplitCounts) -> bool:
    """Whether the columns predict the label better than chance could make them look."""
    score, error = baseline.score, _standard_error(baseline, split)
    rows = max(sum(split.rows.values()), 1)
    return score.value - score.trivial > _SURE * error * math.sqrt(split.rows["test"] / rows)


def _choose_bound(score: Score, error: float) -> float:
    near = score.trivial + _PART_OF_THE_WAY * (score.value - score.trivial)
    lowest = score.trivial - min(error, _MOST_BELOW_TRIVIAL)
    return max(lowest, min(near, score.value - _STANDARD_ERRORS_BELOW * error))


def _standard_error(baseline: BaselineScore, split: SplitCounts) -> float:
    """Returns the standard error of a score on the test split."""
    score, rows = baseline.score, max(split.rows["test"], 2)
    if score.task == "binary":
        negatives, positives = split.counts[2]
        return standard_error_of_auc(score.value, int(positives), int(negatives))
    if score.task == "multiclass":
        # At 0 or 1 the formula would give an error of 0.
        share = min(max(score.value, 0.05), 0.95)
        return math.sqrt(share * (1 - share) / rows)
    # R² varies more than a formula says where tails are long: the folds show by how much.
    fold_rows = score.rows / len(baseline.by_fold)
    return float(baseline.by_fold.std(ddof=1)) * math.sqrt(fold_rows / rows) + 1 / rows


def standard_error_of_auc(auc: float, positives: int, negatives: int) -> float:
    """Returns the standard error of an AUC, after Hanley and McNeil (1982)."""
    p, n = max(positives, 1), max(negatives, 1)
    # At 1 the formula would give an error of 0; below 0.5 it does not hold.
    auc = min(max(auc, 0.5), 0.99)
    both_above = auc / (2 - auc)
    both_below = 2 * auc**2 / (1 + auc)
    variance = auc * (1 - auc) + (p - 1) * (both_above - auc**2) + (n - 1) * (both_below - auc**2)
    return math.sqrt(variance / (p * n))
