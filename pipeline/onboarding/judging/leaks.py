"""Columns that give the label away: written down after it, or the label itself in other words.

A column that predicts well is what the user hopes for, so a high score alone is not enough to
leave one out. One of four proofs is needed: each of its values stands for one value of the label;
it is filled in the rows of one of two classes and in no other, such as a date of cancellation;
together with a second column it makes the label by plain arithmetic; or its score on held-out rows
leaves, with certainty, no more than one error in fifty. A small table cannot give the last proof:
what separates 150 flowers without an error may be a petal. Then there is a warning and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.core.text import percent
from pipeline.onboarding.judging.baseline import Evidence
from pipeline.onboarding.judging.name_hints import names_of
from pipeline.onboarding.judging.scores import Score
from pipeline.onboarding.judging.text_columns import shortened
from pipeline.onboarding.reading.arrays import Flags, Floats, ranks_of
from pipeline.onboarding.reading.columns import Column

_SURE = 0.98
_SUSPICIOUS = 0.97
_SUSPICIOUS_BY_NAME = 0.5
_STRONG = 0.8
_FEWEST_ROWS_OF_COPY = 20
_FEWEST_ROWS_OF_RULE = 100
_MOST_STRONG = 5
_MOST_PARTNERS = 40
_RULE_ROWS = 5000
_RULE_ERRORS = 0.005
_SAME_ORDER = 0.9999
_MOSTLY_KNOWN = 0.5

_OPERATIONS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "{a} / {b}": lambda a, b: a / b,
    "{a} - {b}": lambda a, b: a - b,
    "{a} + {b}": lambda a, b: a + b,
    "{a} * {b}": lambda a, b: a * b,
}


@dataclass(frozen=True)
class Leak:
    """A column that gives the label away, or may do so."""

    why: str
    is_proven: bool
    """Whether it is left out; otherwise it is a feature with a warning."""
    is_copy: bool = False
    """Whether it is the label in other words: of no use even where nothing else predicts."""


def find_leaks(
    evidence: Evidence, label: str, columns: Mapping[str, Column], scores: Mapping[str, Score]
) -> dict[str, Leak]:
    """The leaks among `columns`, by name; `scores` are those of each column alone."""
    leaks = dict(_rules(evidence, columns, scores))
    for name, score in scores.items():
        if _is_copy(evidence, columns[name]):
            leaks[name] = Leak(f"the label in other words ({score})", True, is_copy=True)
        elif filled := _filled_class(evidence, columns[name]):
            why = f"it has a value exactly where the label is {shortened(filled)} ({score})"
            is_label = evidence.task == "binary"
            leaks[name] = Leak(why, is_label or score.certain_skill >= _SURE, is_copy=is_label)
        elif name not in leaks and (leak := _judge(name, label, score)):
            leaks[name] = leak
    return leaks


def _judge(name: str, label: str, score: Score) -> Leak | None:
    if score.certain_skill >= _SURE:
        return Leak(f"alone it predicts the label almost without error: {score}", True)
    if score.skill >= _SUSPICIOUS:
        return Leak(f"alone it predicts the label suspiciously well: {score}", False)
    if score.skill >= _SUSPICIOUS_BY_NAME and names_of(name, label):
        return Leak(f"named after the label, and alone it gives {score}", False)
    return None


def _is_copy(evidence: Evidence, column: Column) -> bool:
    """Whether each value stands for one value of the label, and each of those for one of it."""
    if len(evidence.rows) < _FEWEST_ROWS_OF_COPY:
        return False
    if evidence.task == "regression":
        return column.is_number and _same_order(evidence, column)
    pairs = np.unique(np.stack([evidence.codes(column), evidence.labels]), axis=1)
    return bool(pairs.shape[1] == len(evidence.classes) == len(np.unique(pairs[0])))


def _filled_class(evidence: Evidence, column: Column) -> str:
    """The class in whose rows the column has a value and in no other, if there is one.

    Of more than two classes one may be what the column is about: only birds have wings.
    """
    filled = column.codes[evidence.rows] >= 0
    if min(filled.sum(), (~filled).sum()) < _FEWEST_ROWS_OF_COPY / 2:
        return ""
    matching = (
        c for i, c in enumerate(evidence.classes) if (filled == (evidence.labels == i)).all()
    )
    return next(matching, "")


def _same_order(evidence: Evidence, column: Column) -> bool:
    """Whether the values rise, or fall, exactly as the label does: a copy on another scale."""
    values, label = column.values[evidence.rows], evidence.targets[:, 0]
    known = ~np.isnan(values)
    values, label = values[known], label[known]
    if known.mean() < _MOSTLY_KNOWN or len(np.unique(values)) < len(np.unique(label)) / 2:
        return False
    correlation = np.corrcoef(ranks_of(values), ranks_of(label))[0, 1]
    return bool(abs(correlation) >= _SAME_ORDER)


def _rules(
    evidence: Evidence, columns: Mapping[str, Column], scores: Mapping[str, Score]
) -> Iterator[tuple[str, Leak]]:
    """Columns that make the label by arithmetic with a second one, such as tips with fare."""
    numeric = [n for n in scores if columns[n].is_number and len(columns[n].categories) > 2]
    numeric = sorted(numeric, key=lambda n: -scores[n].value)[:_MOST_PARTNERS]
    values = {n: columns[n].values[evidence.rows][:_RULE_ROWS] for n in numeric}
    if evidence.task == "binary":
        strong = [n for n in numeric if scores[n].skill >= _STRONG][:_MOST_STRONG]
        yield from _threshold_rules(evidence, values, strong, scores)
    elif evidence.task == "regression":
        yield from _identities(evidence, values, scores)


def _threshold_rules(
    evidence: Evidence,
    values: Mapping[str, Floats],
    strong: list[str],
    scores: Mapping[str, Score],
) -> Iterator[tuple[str, Leak]]:
    positive = evidence.targets[:_RULE_ROWS, 0] == 1
    for name in strong:
        for formula, derived in _combinations(name, values):
            known = np.isfinite(derived)
            if known.mean() < _STRONG:
                continue
            rarer = min(positive[known].sum(), (~positive[known]).sum())
            errors, cut = _best_cut(derived[known], positive[known])
            if rarer >= _FEWEST_ROWS_OF_RULE and errors <= _RULE_ERRORS * rarer:
                right = percent(1 - errors / known.sum())
                rule = f"whether {formula} is above {cut:.3g} tells the label in {right} of rows"
                yield name, Leak(f"{rule} ({scores[name]} alone)", True)
                break


def _identities(
    evidence: Evidence, values: Mapping[str, Floats], scores: Mapping[str, Score]
) -> Iterator[tuple[str, Leak]]:
    label = evidence.values[:_RULE_ROWS, 0]
    if len(label) < _FEWEST_ROWS_OF_RULE:
        return
    for name in values:
        for formula, derived, partner in _with_partner(name, values):
            if _nearly_equal(derived, label):
                for part in (name, partner):
                    yield part, Leak(f"{formula} is the label ({scores[part]} alone)", True)


def _combinations(name: str, values: Mapping[str, Floats]) -> Iterator[tuple[str, Floats]]:
    for formula, derived, _ in _with_partner(name, values):
        yield formula, derived


def _with_partner(name: str, values: Mapping[str, Floats]) -> Iterator[tuple[str, Floats, str]]:
    """Each formula of `name` and another column, its values, and the other column."""
    for partner, other in values.items():
        if partner == name:
            continue
        for formula, operation in _OPERATIONS.items():
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                yield formula.format(a=name, b=partner), operation(values[name], other), partner


def _best_cut(values: Floats, positive: Flags) -> tuple[int, float]:
    """The fewest errors that "positive above the cut", or below it, makes, and that cut."""
    order = np.argsort(values, kind="stable")
    ordered, hits = values[order], positive[order]
    below = np.concatenate([[0], np.cumsum(hits)])
    above_errors = below + (len(hits) - np.arange(len(hits) + 1)) - (hits.sum() - below)
    errors = np.minimum(above_errors, len(hits) - above_errors)
    # Equal values cannot be told apart, so a cut stands only where the value changes.
    errors[1:-1][ordered[1:] == ordered[:-1]] = len(hits)
    best = int(errors.argmin())
    return int(errors[best]), float(ordered[max(best - 1, 0)])


def _nearly_equal(derived: Floats, label: Floats) -> bool:
    known = np.isfinite(derived)
    if known.mean() < _STRONG:
        return False
    difference = np.abs(derived[known] - label[known])
    return bool(np.quantile(difference, 0.99) <= 0.01 * label.std())
