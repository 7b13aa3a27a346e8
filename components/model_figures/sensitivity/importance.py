"""Measures what the model loses without the information of each column.

Permutation importance (Breiman 2001): the rise of the loss if the values of a column are shuffled
among rows. The relation to the label is then lost, while the distribution of the column stays. Two
columns that tell the same hide each other: the model loses little without one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from components.model_figures.figures import Estimate, Importance
from components.model_figures.sensitivity.served_function import (
    Change,
    ServedFunction,
    Values,
    measure_width,
)
from components.predictions.raw_cells import missing_value
from components.predictions.terms import Array

MOST_ROWS = 4_000
"""Half as many make the intervals wider by 40 %; twice as many take twice as long."""
_FEWEST_ROWS = 100
_MOST_CELLS = 25_000_000
"""Cells to predict: about four seconds on one core."""
_MOST_REPEATS = 5
_MOST_SHUFFLES = 100
"""Of 20 columns, each is shuffled five times, of 50 columns twice, of more columns once."""
_MOST_REMOVED = 50
"""The most important columns, of which the loss without a value is measured, too."""
_UNKNOWN_TEXT = b"__NEVER_SEEN__"
_UNKNOWN_CODE = 2**62 + 11
_CATEGORIES = ("categorical", "hashed", "text")
_Z = 1.96

MeasureLoss = Callable[[Array], Array]
"""Takes predictions of the rows, [n] or [n, classes]; returns the loss of each row, [n]."""


@dataclass(frozen=True)
class Subject:
    """A model, and the rows on which the model is looked at."""

    function: ServedFunction
    values: Values
    kinds: Mapping[str, str]
    """The kind of each feature."""
    losses: Array
    """The loss of each row, [n]."""
    measure_loss: MeasureLoss


def choose_repeats(columns: int) -> int:
    """Returns how often each column is shuffled."""
    return int(np.clip(_MOST_SHUFFLES // max(columns, 1), 1, _MOST_REPEATS))


def choose_row_count(columns: int, width: int, available: int) -> int:
    """Returns on how many rows the importance is measured.

    Args:
      columns: the inputs of the model.
      width: the cells of a row, see `measure_width`.
      available: the rows of the evaluated split.
    """
    changes = columns * choose_repeats(columns) + 2 * min(columns, _MOST_REMOVED)
    affordable = _MOST_CELLS // max(changes * width, 1)
    return min(available, MOST_ROWS, max(affordable, _FEWEST_ROWS))


def measure_importance(subject: Subject, seed: int = 0) -> tuple[Importance, ...]:
    """Returns the importance of each input of the model, the most important first.

    The interval of `permuted` is that of a mean over rows; each row's rise is itself the mean over
    the repeats.
    """
    random = np.random.default_rng(seed)
    columns = sorted(subject.function.dtypes)
    repeats = choose_repeats(len(columns))
    changes = [
        (name, random.permutation(subject.values[name])) for name in columns for _ in range(repeats)
    ]
    rises = _measure_rises(subject, changes).reshape(len(columns), repeats, -1).mean(axis=1)
    permuted = dict(zip(columns, map(_estimate_mean, rises), strict=True))
    columns.sort(key=lambda name: -_order(permuted[name]))
    removed = columns[:_MOST_REMOVED]
    missing = _measure_constants(subject, {name: _missing(subject, name) for name in removed})
    unknown = _measure_constants(subject, _choose_unknown(subject, removed))
    return tuple(
        Importance(name, permuted[name], missing.get(name), unknown.get(name)) for name in columns
    )


def _measure_constants(subject: Subject, values: Mapping[str, object]) -> dict[str, float | None]:
    """Returns the mean rise of the loss if each column has one value in all rows."""
    rows = len(subject.losses)
    changes = [
        (name, np.full(rows, value, subject.values[name].dtype)) for name, value in values.items()
    ]
    means = _measure_rises(subject, changes).mean(axis=1) if changes else ()
    return {
        name: float(mean) if math.isfinite(mean) else None
        for name, mean in zip(values, means, strict=True)
    }


def _measure_rises(subject: Subject, changes: Sequence[Change]) -> Array:
    """Returns the rise of the loss of each row by each change, [changes, n]."""
    predictions = subject.function.predict_changes(subject.values, changes)
    return np.stack([subject.measure_loss(p) - subject.losses for p in predictions])


def _missing(subject: Subject, name: str) -> object:
    return missing_value(subject.function.dtypes[name])


def _choose_unknown(subject: Subject, columns: Sequence[str]) -> dict[str, object]:
    return {
        name: _UNKNOWN_TEXT if subject.values[name].dtype == object else _UNKNOWN_CODE
        for name in columns
        if subject.kinds.get(name) in _CATEGORIES
    }


def _estimate_mean(rises: Array) -> Estimate:
    mean = float(rises.mean())
    if not math.isfinite(mean):
        return Estimate(None, None, None)
    if len(rises) < 2:
        return Estimate(mean, None, None)
    half = _Z * float(rises.std(ddof=1)) / math.sqrt(len(rises))
    return Estimate(mean, mean - half, mean + half)


def _order(estimate: Estimate) -> float:
    return estimate.value if estimate.value is not None else -math.inf


def affordable_rows(values: Values, available: int) -> int:
    """Returns `choose_row_count` for rows with these cells."""
    return choose_row_count(len(values), measure_width(values), available)
