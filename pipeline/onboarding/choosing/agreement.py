"""Measures how alike the labels of rows with the same value are.

The measure is the intraclass correlation of a one-way analysis of variance: 1 if all rows with the
same value have the same label, 0 if they are as different as any rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.onboarding.reading.arrays import Flags, Floats, Integers
from pipeline.onboarding.reading.columns import Column

_MOST_CLASSES = 200
"""Different values of a label of numbers from which the numbers themselves are compared."""


@dataclass(frozen=True)
class Agreement:
    """How alike labels are."""

    correlation: float
    """The intraclass correlation, at most 1; about 0 if the values say nothing about the label."""
    certainty: float
    """By how many standard errors the labels are more alike than by chance."""


def measure_agreement(column: Column, label: Column) -> Agreement:
    """Returns how alike the labels of rows with the same value of `column` are."""
    is_known = (column.codes >= 0) & (label.codes >= 0)
    groups = np.unique(column.codes[is_known], return_inverse=True)[1]
    rows, keys = len(groups), int(groups.max(initial=-1)) + 1
    if not 1 < keys < rows:
        return Agreement(0.0, 0.0)
    between, total = _sums_of_squares(groups, label, is_known)
    among, within = between / (keys - 1), max(total - between, 1e-12) / (rows - keys)
    correlation = (among - within) / (among + (rows / keys - 1) * within)
    error = np.sqrt(2 / (keys - 1) + 2 / (rows - keys))
    return Agreement(float(correlation), float((among / within - 1) / error))


def _sums_of_squares(groups: Integers, label: Column, is_known: Flags) -> tuple[float, float]:
    """Returns the sums of squares between the groups, and in total."""
    if label.is_number and label.distinct > _MOST_CLASSES:
        values = label.values[is_known]
        deviations = np.nan_to_num(values - np.nanmean(values))
        sums = np.bincount(groups, deviations)
        return float((sums**2 / np.bincount(groups)).sum()), float((deviations**2).sum())
    return _sums_of_classes(groups, label.codes[is_known])


def _sums_of_classes(groups: Integers, classes: Integers) -> tuple[float, float]:
    """Returns the same for labels that are classes, summed over one column of 0 and 1 for each."""
    width = int(classes.max()) + 1
    pairs, counts = np.unique(groups * width + classes, return_counts=True)
    expected = float((np.bincount(classes).astype(float) ** 2).sum() / len(classes))
    sizes: Floats = np.bincount(groups)[pairs // width].astype(np.float64)
    return float((counts**2 / sizes).sum()) - expected, len(classes) - expected
