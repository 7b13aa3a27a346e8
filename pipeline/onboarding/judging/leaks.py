"""Finds columns that leak the label: duplicates of it, or columns filled in after it was known.

A column that predicts well is what the user hopes for. So a high score alone is not enough to leave
a column out. `init` leaves a column out on one of four proofs:
- each of its values stands for one value of the label (a duplicate);
- it has a value exactly in the rows of one of two classes, such as a date of cancellation;
- it gives the label by plain arithmetic with a second column;
- its score on held-out rows leaves, with certainty, at most one error in fifty.

A small table cannot give the last proof: what separates 150 flowers without an error may be the
length of a petal. Then `init` keeps the column with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.core.text import percent
from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.judging.name_hints import contains_label_name
from pipeline.onboarding.judging.scores import Score
from pipeline.onboarding.judging.text_columns import quote_shortened
from pipeline.onboarding.reading.arrays import Flags, Floats, ranks_of
from pipeline.onboarding.reading.columns import Column

_SURE = 0.98
"""Certain skill that proves a leak: one error in fifty, which honest columns rarely reach alone."""
_SUSPICIOUS = 0.97
"""Skill that earns a warning: just below proof, for tables too small to prove anything."""
_SUSPICIOUS_BY_NAME = 0.5
"""Skill that earns a warning if the name contains the label's: the name is half of the evidence."""
_STRONG = 0.8
"""Skill from which a number may be part of a rule: without its partner, a part of the label still
predicts most of it."""
_MOSTLY_FINITE = 0.8
"""Share of rows in which a formula must have a value: a rule for fewer rows proves little."""
_FEWEST_ROWS_OF_COPY = 20
"""Rows that prove a duplicate: among fewer, two classes may match a column by chance."""
_FEWEST_ROWS_OF_RULE = 100
"""Rows that prove arithmetic: among fewer, one of the many formulas may fit by chance."""
_MOST_STRONG = 5
_MOST_PARTNERS = 40
_RULE_ROWS = 5000
"""These three bound the time: strong columns, partners of each, and rows for each of the four
operations."""
_RULE_ERRORS = 0.005
"""Errors of a rule per row of the rarer class: rounding may cause some, chance causes far more."""
_SAME_ORDER = 0.9999
"""Rank correlation of a duplicate on another scale: rounding may tie some values."""
_MOSTLY_KNOWN = 0.5
"""Share of rows that a duplicate of a number must fill."""
_SAME_QUANTILE = 0.99
_SAME_DISTANCE = 0.01
"""A formula is the label if 99 % of its values lie within a hundredth of the label's standard
deviation: rounding moves values, and a few rows may have been corrected by hand."""

_OPERATIONS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "{a} / {b}": lambda a, b: a / b,
    "{a} - {b}": lambda a, b: a - b,
    "{a} + {b}": lambda a, b: a + b,
    "{a} * {b}": lambda a, b: a * b,
}


@dataclass(frozen=True)
class Leak:
    """A column that leaks the label, or may do so."""

    why: str
    is_proven: bool
    """Whether the column is left out; otherwise it becomes a feature with a warning."""
    is_copy: bool = False
    """Whether the column duplicates the label: useless even if nothing else predicts the label."""


def find_leaks(
    baseline: Baseline,
    label_column: str,
    columns: Mapping[str, Column],
    scores: Mapping[str, Score],
) -> dict[str, Leak]:
    """Returns the leaks among `columns` by name; `scores` has the score of each column alone."""
    leaks = dict(_find_arithmetic_leaks(baseline, columns, scores))
    for name, score in scores.items():
        if _is_copy(baseline, columns[name]):
            leaks[name] = Leak(f"duplicates the label ({score})", True, is_copy=True)
        elif filled := _find_filled_class(baseline, columns[name]):
            why = f"it has a value exactly where the label is {quote_shortened(filled)} ({score})"
            is_label = baseline.task == "binary"
            leaks[name] = Leak(why, is_label or score.certain_skill >= _SURE, is_copy=is_label)
        elif name not in leaks and (leak := _judge_score(name, label_column, score)):
            leaks[name] = leak
    return leaks


def _judge_score(name: str, label_column: str, score: Score) -> Leak | None:
    if score.certain_skill >= _SURE:
        return Leak(f"alone it predicts the label almost without error: {score}", True)
    if score.skill >= _SUSPICIOUS:
        return Leak(f"alone it predicts the label suspiciously well: {score}", False)
    if score.skill >= _SUSPICIOUS_BY_NAME and contains_label_name(name, label_column):
        return Leak(f"named after the label, and alone it reaches {score}", False)
    return None


def _is_copy(baseline: Baseline, column: Column) -> bool:
    """Whether the column's values and the label's values correspond one to one."""
    if len(baseline.rows) < _FEWEST_ROWS_OF_COPY:
        return False
    if baseline.task == "regression":
        return column.is_number and _has_same_order(baseline, column)
    pairs = np.unique(np.stack([baseline.encode_column(column), baseline.labels]), axis=1)
    return bool(pairs.shape[1] == len(baseline.classes) == len(np.unique(pairs[0])))


def _find_filled_class(baseline: Baseline, column: Column) -> str:
    """Returns the class in exactly whose rows the column has a value, or an empty string.

    With more than two classes, the column may describe one class: only birds have wings.
    """
    filled = column.codes[baseline.rows] >= 0
    if min(filled.sum(), (~filled).sum()) < _FEWEST_ROWS_OF_COPY / 2:
        return ""
    matching = (
        c for i, c in enumerate(baseline.classes) if (filled == (baseline.labels == i)).all()
    )
    return next(matching, "")


def _has_same_order(baseline: Baseline, column: Column) -> bool:
    """Whether the values rise, or fall, exactly as the label does: a copy on another scale."""
    values, label = column.values[baseline.rows], baseline.targets[:, 0]
    known = ~np.isnan(values)
    values, label = values[known], label[known]
    if known.mean() < _MOSTLY_KNOWN or len(np.unique(values)) < len(np.unique(label)) / 2:
        return False
    correlation = np.corrcoef(ranks_of(values), ranks_of(label))[0, 1]
    return bool(abs(correlation) >= _SAME_ORDER)


def _find_arithmetic_leaks(
    baseline: Baseline, columns: Mapping[str, Column], scores: Mapping[str, Score]
) -> Iterator[tuple[str, Leak]]:
    """Yields columns that give the label by arithmetic with a second one, such as tips and fare."""
    numeric = [n for n in scores if columns[n].is_number and len(columns[n].categories) > 2]
    numeric = sorted(numeric, key=lambda n: -scores[n].value)[:_MOST_PARTNERS]
    values = {n: columns[n].values[baseline.rows][:_RULE_ROWS] for n in numeric}
    if baseline.task == "binary":
        strong = [n for n in numeric if scores[n].skill >= _STRONG][:_MOST_STRONG]
        yield from _find_threshold_rules(baseline, values, strong, scores)
    elif baseline.task == "regression":
        yield from _find_identities(baseline, values, scores)


def _find_threshold_rules(
    baseline: Baseline,
    values: Mapping[str, Floats],
    strong: list[str],
    scores: Mapping[str, Score],
) -> Iterator[tuple[str, Leak]]:
    positive = baseline.targets[:_RULE_ROWS, 0] == 1
    for name in strong:
        for formula, derived, _ in _combine_with_partners(name, values):
            known = np.isfinite(derived)
            if known.mean() < _MOSTLY_FINITE:
                continue
            rarer = min(positive[known].sum(), (~positive[known]).sum())
            errors, cut = _find_best_cut(derived[known], positive[known])
            if rarer >= _FEWEST_ROWS_OF_RULE and errors <= _RULE_ERRORS * rarer:
                right = percent(1 - errors / known.sum())
                rule = f"comparing {formula} with {cut:.3g} gives the label in {right} of rows"
                yield name, Leak(f"{rule} (alone: {scores[name]})", True)
                break


def _find_identities(
    baseline: Baseline, values: Mapping[str, Floats], scores: Mapping[str, Score]
) -> Iterator[tuple[str, Leak]]:
    label = baseline.values[:_RULE_ROWS, 0]
    if len(label) < _FEWEST_ROWS_OF_RULE:
        return
    for name in values:
        for formula, derived, partner in _combine_with_partners(name, values):
            if _is_nearly_equal(derived, label):
                for part in (name, partner):
                    yield part, Leak(f"{formula} is the label (alone: {scores[part]})", True)


def _combine_with_partners(
    name: str, values: Mapping[str, Floats]
) -> Iterator[tuple[str, Floats, str]]:
    """Yields each formula of `name` and another column, its values, and the other column."""
    for partner, other in values.items():
        if partner == name:
            continue
        for formula, operation in _OPERATIONS.items():
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                yield formula.format(a=name, b=partner), operation(values[name], other), partner


def _find_best_cut(values: Floats, positive: Flags) -> tuple[int, float]:
    """Returns the fewest errors that one cut makes, with positives above or below, and the cut."""
    order = np.argsort(values, kind="stable")
    ordered, hits = values[order], positive[order]
    below = np.concatenate([[0], np.cumsum(hits)])
    above_errors = below + (len(hits) - np.arange(len(hits) + 1)) - (hits.sum() - below)
    errors = np.minimum(above_errors, len(hits) - above_errors)
    # A cut cannot separate equal values.
    errors[1:-1][ordered[1:] == ordered[:-1]] = len(hits)
    best = int(errors.argmin())
    return int(errors[best]), float(ordered[max(best - 1, 0)])


def _is_nearly_equal(derived: Floats, label: Floats) -> bool:
    known = np.isfinite(derived)
    if known.mean() < _MOSTLY_FINITE:
        return False
    difference = np.abs(derived[known] - label[known])
    return bool(np.quantile(difference, _SAME_QUANTILE) <= _SAME_DISTANCE * label.std())
