"""Chooses the threshold that a model must reach to be pushed.

Three figures enter: the trivial score of guessing, the score of a quick fit (boosted trees, or a
simpler baseline) on held-out rows, and the standard error of a score on the test split. The
threshold lies three quarters of the way from the trivial score to that of the quick fit, or lower:
at least three standard errors below the quick fit. But it never lies below half of the way, nor
where a broken model could pass: answers by chance miss it by two standard errors of their own. On a
small test split, chance may then stop a good model as well.

Where the quick fit finds nothing, the threshold only stops constant answers and answers by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.config import Threshold
from pipeline.core.text import counted
from pipeline.onboarding.choosing.splits import SplitCounts
from pipeline.onboarding.judging.scores import BaselineScore, Score, score_constant_answer
from pipeline.onboarding.reading.arrays import Integers

_PART_OF_THE_WAY = 0.75
"""The proposal shall run unedited: the model may lose a quarter of what the quick fit found. On the
tables of docs/quality.md with an AUC, models lost at most a twentieth against LightGBM."""
_STANDARD_ERRORS_BELOW = 3
"""A model as good as the quick fit misses the threshold by chance in about one run of 700."""
_SURE = 4.0
"""Standard errors by which the baseline's score on the whole table must exceed the trivial score to
count as a signal. One in a hundred tables of pure noise still exceeds it."""
_LEAST_PART_OF_THE_WAY = 0.5
"""Half-way, chance passes a model that guesses as rarely as it stops one that equals the fit."""
_ERRORS_OF_CHANCE = 2.0
"""Standard errors above the trivial score that answers by chance exceed in about one run of 40."""
_HIGHEST_PART_OF_THE_WAY = 0.9
"""A nearly perfect model must be able to pass, however few the test rows are."""
_LEAST_GAIN = 0.01
"""The threshold lies so far above the trivial score: a constant answer must miss it."""
_LEAST_TOLERANCE = {"auc": 0.01, "accuracy": 0.01, "macro_f1": 0.01, "r2": 0.02}
"""Smallest `may_worsen_by`: on large test splits, the standard error alone would leave no room for
differences between two trainings."""
_MEAN_ERROR_TOLERANCE = 10
"""`may_worsen_by` is a tenth of a threshold on the mean absolute error."""
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
      unscored: text and date columns, whose words and parts the baseline did not score.
    """
    baseline = replace(baseline, score=_expect_constant_answer(baseline, split))
    make = _make_score_bound if baseline.constant_error is None else _make_mean_error_bound
    bound = make(baseline, split)
    if not _is_clear(baseline, split):
        return replace(bound, warning=_make_warning(baseline, split, unscored))
    if _is_within_chance(baseline, split):
        return replace(bound, warning=_explain_few_rows(baseline, split))
    return bound


def _expect_constant_answer(baseline: BaselineScore, split: SplitCounts) -> Score:
    """Returns the score whose trivial score a constant answer does not exceed on the test split.

    The fewer classes occur in a split, the higher is the macro F1 of a constant answer.
    """
    score, metric, rows = baseline.score, baseline.metric, split.counts[2]
    if (metric != "accuracy" and metric != "macro_f1") or not rows.sum():
        return score
    classes = _estimate_fewest_classes(rows) if split.is_estimate else None
    return replace(score, trivial=max(score.trivial, score_constant_answer(metric, rows, classes)))


def _estimate_fewest_classes(rows: Integers) -> float:
    """Returns how many classes will occur at least, up to two standard deviations.

    Args:
      rows: the rows that each class is due, int64 [classes].
    """
    absent = np.exp(-rows.astype(np.float64))
    return float((1 - absent).sum() - 2 * math.sqrt((absent * (1 - absent)).sum()))


def _make_score_bound(baseline: BaselineScore, split: SplitCounts) -> Bound:
    score, metric = baseline.score, baseline.metric
    error = _standard_error(baseline, split)
    at_least = _choose_bound(baseline, split)
    threshold = Threshold(
        metric=metric,
        at_least=_round_down(at_least, score, _reach_of_chance(baseline, split)),
        may_worsen_by=max(_LEAST_TOLERANCE[metric], math.ceil(100 * error) / 100),
    )
    test_rows = split.rows["test"]
    about = f"standard error {error:.1g} on {counted(test_rows, 'test row')}"
    figures = (
        f"{_TRIVIAL[score.task]} scores {score.trivial:.2f}, a quick fit {score.value:.2f}"
        + (f" ({about})" if test_rows else "")
    )
    return Bound(
        threshold,
        f"{figures}; {_explain_bound(baseline, split)}",
        "at least the standard error on this test split",
    )


def _make_mean_error_bound(baseline: BaselineScore, split: SplitCounts) -> Bound:
    """For labels with a very long tail, where a few rows decide R², whatever the model."""
    constant = baseline.constant_error or 0.0
    at_most = (1 - _choose_bound(baseline, split)) * constant
    threshold = Threshold(
        metric="mae",
        at_most=float(f"{at_most:.3g}"),
        may_worsen_by=float(f"{at_most / _MEAN_ERROR_TOLERANCE:.2g}"),
    )
    fitted = (1 - baseline.score.value) * constant
    why = (
        f"R² would depend on a few extreme labels; always predicting the median has an error of "
        f"{constant:.3g}, a quick fit {fitted:.3g}; {_explain_bound(baseline, split)}"
    )
    return Bound(threshold, why, "a tenth of the threshold")


def _make_warning(baseline: BaselineScore, split: SplitCounts, unscored: Sequence[str]) -> str:
    score, best = baseline.score, _TRIVIAL[baseline.score.task]
    if baseline.constant_error is not None:
        best = "always predicting the median"
    if unscored:
        return (
            f"{', '.join(unscored)}: text and date columns were not scored, and the other columns "
            f"hardly predict the label; so the threshold only stops {best} and answers by chance"
        )
    found = f"a quick fit scores {baseline.shown_metric} {score.value:.2f}"
    if baseline.constant_error is not None:
        found = f"the error of a quick fit is {1 - score.value:.2f} times that of {best}"
    else:
        best = f"{best} {score.trivial:.2f}"
        found = f"{found} on held-out rows, {best}"
    warning = f"the columns hardly predict the label: {found}; a model may miss the threshold"
    if score.value > score.trivial and _is_within_chance(baseline, split):
        warning += f"; {_explain_few_rows(baseline, split)}"
    return warning


def _explain_few_rows(baseline: BaselineScore, split: SplitCounts) -> str:
    """Says that the test split cannot tell a model from a broken one, and what to do."""
    score, chance = baseline.score, _reach_of_chance(baseline, split)
    scored = f"score {baseline.shown_metric} {chance:.2f}, a quick fit scores {score.value:.2f}"
    if baseline.constant_error is not None:
        scored = (
            f"have {1 - chance:.2f} times the error of always predicting the median, a quick fit "
            f"has {1 - score.value:.2f} times"
        )
    return (
        f"{counted(split.rows['test'], 'test row')} cannot tell this model from a broken one: "
        f"answers by chance may {scored}, so a good model may miss the threshold as well; "
        "use more rows, or raise `data.split.test`"
    )


def _explain_bound(baseline: BaselineScore, split: SplitCounts) -> str:
    """Says why the threshold is so far below the baseline."""
    if not _is_clear(baseline, split):
        return "the quick fit is hardly better: the threshold only stops answers by chance"
    score, error = baseline.score, _standard_error(baseline, split)
    if _choose_bound(baseline, split) == _reach_of_chance(baseline, split):
        return "answers by chance hardly reach the threshold: it is so high for so few test rows"
    if score.value - _STANDARD_ERRORS_BELOW * error < _part_of_the_way(
        score, _LEAST_PART_OF_THE_WAY
    ):
        return "the threshold is half of the way between: chance may decide on so few test rows"
    place = "three quarters of the way between"
    if score.value - _STANDARD_ERRORS_BELOW * error < _part_of_the_way(score, _PART_OF_THE_WAY):
        place = f"{_STANDARD_ERRORS_BELOW} standard errors below the quick fit"
    return f"the threshold is {place}: raise it after the first run"


def _is_clear(baseline: BaselineScore, split: SplitCounts) -> bool:
    """Whether the columns predict the label better than chance could make them look."""
    score, error = baseline.score, _standard_error(baseline, split)
    rows = max(sum(split.rows.values()), 1)
    return score.value - score.trivial > _SURE * error * math.sqrt(split.rows["test"] / rows)


def _choose_bound(baseline: BaselineScore, split: SplitCounts) -> float:
    """Returns the score that a model must reach."""
    score, error = baseline.score, _standard_error(baseline, split)
    chance = _reach_of_chance(baseline, split)
    if not _is_clear(baseline, split):
        return max(score.trivial + _LEAST_GAIN, chance)
    near = _part_of_the_way(score, _PART_OF_THE_WAY)
    sure = min(near, score.value - _STANDARD_ERRORS_BELOW * error)
    return max(_part_of_the_way(score, _LEAST_PART_OF_THE_WAY), sure, chance)


def _is_within_chance(baseline: BaselineScore, split: SplitCounts) -> bool:
    """Whether a broken model may score as well as the quick fit on the test split."""
    return baseline.score.value <= _reach_of_chance(baseline, split)


def _reach_of_chance(baseline: BaselineScore, split: SplitCounts) -> float:
    """Returns the score that answers without any knowledge hardly exceed on the test split."""
    trivial, rows = baseline.score.trivial, max(split.rows["test"], 2)
    highest = trivial + _HIGHEST_PART_OF_THE_WAY * (1 - trivial)
    if baseline.metric == "auc":
        negatives, positives = split.counts[2]
        error = standard_error_of_auc(0.5, int(positives), int(negatives))
    elif baseline.metric == "accuracy":
        # The share of the most frequent class differs from split to split, and in later tables.
        share = score_constant_answer("accuracy", split.counts.sum(axis=0))
        error = math.sqrt(share * (1 - share) / rows)
        return min(highest, max(trivial, share + _ERRORS_OF_CHANCE * error))
    elif baseline.metric == "macro_f1":
        # Answers with the classes' own shares: the F1 of each class is its share, up to 1/√rows.
        classes = max(int((split.counts[2] > 0).sum()), 1)
        trivial, error = max(trivial, 1 / classes), 1 / math.sqrt(rows * classes)
    else:
        # Of any scale, unrelated predictions remove at most the square of their correlation with
        # the label, whose standard error is 1/√rows; of the absolute error, about as much.
        return min(highest, _ERRORS_OF_CHANCE**2 / rows)
    return min(highest, trivial + _ERRORS_OF_CHANCE * error)


def _round_down(at_least: float, score: Score, chance: float) -> float:
    """Returns the threshold with two digits, or with four where two are too close to guessing."""
    rounded = math.floor(100 * at_least) / 100
    is_near = rounded - score.trivial < (at_least - score.trivial) / 2 or rounded < chance
    return math.ceil(10_000 * at_least) / 10_000 if is_near else rounded


def _part_of_the_way(score: Score, part: float) -> float:
    return score.trivial + part * (score.value - score.trivial)


def _standard_error(baseline: BaselineScore, split: SplitCounts) -> float:
    """Returns the standard error of a score on the test split."""
    score, rows = baseline.score, max(split.rows["test"], 2)
    if baseline.metric == "auc":
        negatives, positives = split.counts[2]
        return standard_error_of_auc(score.value, int(positives), int(negatives))
    if baseline.metric == "accuracy":
        # At 0 or 1 the formula would give an error of 0.
        share = min(max(score.value, 0.05), 0.95)
        return math.sqrt(share * (1 - share) / rows)
    # Long tails and rare classes add more than a formula says: the folds show by how much.
    return baseline.standard_error * math.sqrt(baseline.fold_rows / rows) + 1 / rows


def standard_error_of_auc(auc: float, positives: int, negatives: int) -> float:
    """Returns the standard error of an AUC, after Hanley and McNeil (1982)."""
    p, n = max(positives, 1), max(negatives, 1)
    # At 1 the formula would give an error of 0; below 0.5 it does not hold.
    auc = min(max(auc, 0.5), 0.99)
    both_above = auc / (2 - auc)
    both_below = 2 * auc**2 / (1 + auc)
    variance = auc * (1 - auc) + (p - 1) * (both_above - auc**2) + (n - 1) * (both_below - auc**2)
    return math.sqrt(variance / (p * n))
