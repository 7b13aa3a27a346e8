"""Notices whole numbers that identify someone or something, whatever the column is called.

A quantity means something by its size: neighbouring numbers have like labels, and what a quantity
determines, such as an age group, follows its order. Numbers of machines or customers mean nothing
by their size: rows with the same number are alike, and rows with neighbouring numbers are not.
Such numbers were given out one after the other, or at random, so they fill their range evenly. Real
quantities do not: in the tables of the quality benchmark, all of them crowd together somewhere.

Without like labels and without a determined column, nothing tells a number from a quantity, and no
model gains from knowing rows with the same number: then there is no hint.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.onboarding.choosing.agreement import measure_agreement
from pipeline.onboarding.choosing.keys import (
    describe_key,
    has_repeated_keys,
    is_enclosed,
    is_worth_a_hint,
)
from pipeline.onboarding.judging.name_hints import is_calendar_name, is_time_name
from pipeline.onboarding.reading.arrays import Flags, Floats, Integers, ranks_of
from pipeline.onboarding.reading.columns import Column

_UNEVEN = 0.05
_UNEVEN_BY_CHANCE = 1.36
"""The distribution of the different numbers may differ from an even one by 0.05, which allows for
gaps, and by the limit of the Kolmogorov-Smirnov test at 5 %. Distances, prices, populations and
delays of real tables differ by 0.17 to 0.9."""
_NEIGHBOURS_DIFFER = 2.0
"""Standard errors by which the labels of neighbouring numbers must differ, beside the other rules:
with 3, machines that explain a tenth of a label go unnoticed in 3,000 rows."""
_MOSTLY_ROUGH = 0.5
"""Share of what the numbers tell that neighbours must not have in common: of a quantity, nearly
nothing; of numbers without a meaning, everything."""
_MOST_CLASSES = 20
"""The most frequent classes that are compared: bounds the memory."""
_FEWEST_COINCIDENCES = 20.0
"""Rows that would differ from another row with the same number by chance: if none does, the number
determines the column."""
_FEWEST_NUMBERS_A_VALUE = 4
"""Numbers for each value of a column from which the sequence of its values can be judged."""
_MOST_NAMED = 3
"""Determined columns that a hint names."""


@dataclass(frozen=True)
class _Roughness:
    """How far the labels of neighbouring numbers differ."""

    share: float
    """The share of the labels' variance that tells neighbouring numbers apart; for numbers without
    a meaning, the intraclass correlation."""
    certainty: float
    """By how many standard errors neighbours differ more than by chance."""


def hint_at_number_keys(
    columns: Mapping[str, Column],
    label_column: str,
    considered: Sequence[str],
    determined: Sequence[str],
) -> dict[str, str]:
    """Returns a sentence on each column of numbers that may be a key.

    Args:
      considered: the columns that may be keys.
      determined: the columns that a key may determine: no times, which a count of days determines.
    """
    hints: dict[str, str] = {}
    for column in (columns[n] for n in considered):
        if not _may_number(column) or any(is_enclosed(columns[n], column) for n in hints):
            continue  # A hint on a finer key says enough.
        others = [columns[n] for n in determined if n != column.name]
        if why := _explain(column, columns[label_column], others):
            hints[column.name] = (
                f"{column.name}: {describe_key(column)}; {why}: it may identify someone or "
                "something; if new rows come with new values, the scores are too good: then use "
                f"`--key-column {shlex.quote(column.name)}`"
            )
    return hints


def _may_number(column: Column) -> bool:
    """Whether the column holds whole numbers that may have been given out."""
    is_counted = column.is_number and column.scan.is_integral and has_repeated_keys(column)
    is_time = is_calendar_name(column.name) or is_time_name(column.name)
    return is_counted and not is_time and _is_even(column)


def _is_even(column: Column) -> bool:
    """Whether the different numbers fill their range evenly."""
    numbers = np.unique(column.numbers)
    places = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    farthest = np.abs(places - np.linspace(0, 1, len(numbers))).max()
    return bool(farthest <= _UNEVEN + _UNEVEN_BY_CHANCE / np.sqrt(len(numbers)))


def _explain(column: Column, label: Column, others: Sequence[Column]) -> str:
    agreement = measure_agreement(column, label)
    if is_worth_a_hint(agreement) and _is_rough(column, label, agreement.correlation):
        return "rows with the same number have like labels, neighbouring numbers do not"
    names = [repr(c.name) for c in others if _is_determined(column, c)][:_MOST_NAMED]
    return f"each number has one value of {' and of '.join(names)}" if names else ""


def _is_rough(column: Column, label: Column, correlation: float) -> bool:
    """Whether the labels of neighbouring numbers differ nearly as those of any two numbers do."""
    roughness = _measure_roughness(column, label)
    is_certain = roughness.certainty >= _NEIGHBOURS_DIFFER
    return is_certain and roughness.share >= _MOSTLY_ROUGH * correlation


def _measure_roughness(column: Column, label: Column) -> _Roughness:
    """Compares the labels of two neighbouring numbers, for each pair of such numbers.

    A contribution has a mean of 0 if the labels of both numbers are equally distributed, whatever
    the distribution is.
    """
    is_known = ~np.isnan(column.values) & (label.codes >= 0)
    groups = np.unique(column.values[is_known], return_inverse=True)[1]
    counts = _pair_up(groups, np.ones(len(groups)))
    if not len(counts):
        return _Roughness(0.0, 0.0)
    rows = counts.sum(axis=1)
    weights, contributions = counts.prod(axis=1) / rows, np.zeros(len(rows))
    targets = _make_targets(label, is_known)
    for target in targets.T:
        sums, squares = _pair_up(groups, target), _pair_up(groups, target**2)
        apart = (sums[:, 0] / counts[:, 0] - sums[:, 1] / counts[:, 1]) ** 2
        spread = squares.sum(axis=1) - sums.sum(axis=1) ** 2 / rows
        contributions += apart * weights - spread / (rows - 1)
    found, chance = contributions.sum(), float(np.sqrt((contributions**2).sum()))
    # So often a difference between numbers, of a variance of 1, is in the sum of contributions.
    times = float((2 * weights * (rows - 2) / (rows - 1)).sum())
    variance = max(float(targets.var(axis=0).sum()), 1e-12)
    return _Roughness(found / max(times, 1e-12) / variance, found / max(chance, 1e-12))


def _pair_up(groups: Integers, amounts: Floats) -> Floats:
    """Returns the sums for two neighbouring groups each, float64 [pairs, 2]."""
    sums = np.bincount(groups, amounts).astype(np.float64)
    return sums[: len(sums) // 2 * 2].reshape(-1, 2)


def _make_targets(label: Column, is_known: Flags) -> Floats:
    """Returns the labels as numbers, float64 [rows, targets]: one column for each class."""
    if label.is_number and label.distinct > _MOST_CLASSES:
        values = np.nan_to_num(label.values[is_known])
        targets: Floats = (values - values.mean())[:, None] / max(float(values.std()), 1e-12)
        return targets
    frequent = np.argsort(-label.counts, kind="stable")[:_MOST_CLASSES]
    return np.asarray(label.codes[is_known][:, None] == frequent, np.float64)


def _is_determined(column: Column, other: Column) -> bool:
    """Whether each number has one value of `other`, which does not follow the numbers' order."""
    is_known = (column.codes >= 0) & (other.codes >= 0)
    codes, values = column.codes[is_known], other.codes[is_known]
    shares = np.bincount(values) / max(len(values), 1)
    repeated = len(codes) - len(np.unique(codes))
    if repeated * (1 - float((shares**2).sum())) < _FEWEST_COINCIDENCES:
        return False
    return is_enclosed(column, other) and not _follows_order(column, other)


def _follows_order(column: Column, other: Column) -> bool:
    """Whether the number and its neighbours tell the value of `other` for a number.

    So is an age group, a weekday of a count of days, and an age in months.
    """
    numbers, first = np.unique(column.values, return_index=True)
    first = first[~np.isnan(numbers)]
    if other.distinct * _FEWEST_NUMBERS_A_VALUE <= len(first):
        return _is_foretold(other.codes[first] + 1)
    values = other.values if other.is_number else _alphabetical_order(other)
    ranks = ranks_of(np.nan_to_num(values[first])) / len(first)
    # Two numbers at random between 0 and 1 differ by a third on average.
    return bool(np.abs(np.diff(ranks)).mean() < _MOSTLY_ROUGH / 3)


def _alphabetical_order(column: Column) -> Floats:
    """Returns the position of each text in the alphabet, float64 [sampled rows]."""
    positions: Floats = np.argsort(np.argsort(column.categories)).astype(np.float64)
    return positions[column.codes]


def _is_foretold(codes: Integers) -> bool:
    """Whether a value mostly tells the next value, as Monday tells Tuesday."""
    steps = codes[:-1] * (codes.max() + 1) + codes[1:]
    pairs, counts = np.unique(steps, return_counts=True)
    best = np.zeros(codes.max() + 1)
    np.maximum.at(best, pairs // (codes.max() + 1), counts)
    most_frequent = float(np.bincount(codes).max() / len(codes))
    return bool(best.sum() / len(steps) >= (1 + most_frequent) / 2)
