"""Chooses the edges of a histogram's bins.

Rounded numbers, such as ratings with steps of 0.1, lie on a grid. A bin must hold the same number
of grid points as its neighbours, and no edge may lie on a grid point. Otherwise equal bars look
unequal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from components.data_figures.association_measures import Array

_BINS = 20
"""Half as many hide a second peak. Twice as many show noise of a thousand rows."""
_MOST_VALUES = 30
"""Up to so many different values, each has a bin of its own."""
_OFF_GRID = 0.05
"""In steps of the grid: float32 rounds cents of thousands by less."""


def choose_edges(
    low: float, high: float, is_integer: bool, samples: Sequence[Array] = ()
) -> tuple[float, ...]:
    """Returns the edges of bins over a range, ascending, at least two.

    Args:
      low: the least number that must lie in a bin.
      high: the greatest number that must lie in a bin.
      is_integer: whether all values are whole numbers.
      samples: values, each array ascending.
    """
    if is_integer and 0 < high - low <= _MOST_VALUES:
        return _grid_edges(low, high, 1.0)
    distinct = _distinct_values(samples, low, high)
    if len(distinct) >= 2:
        step, first, last = _find_step(distinct), float(distinct[0]), float(distinct[-1])
        is_few = len(distinct) <= _MOST_VALUES
        if step and (not is_few or last - first <= step * _MOST_VALUES):
            return _grid_edges(first, last, step)
        if is_few:
            return _edges_between(distinct)
    elif is_integer and 0 < high - low < 2**52:
        return _grid_edges(low, high, 1.0)
    edges = np.unique(np.linspace(low, high, _BINS + 1))
    if len(edges) < 2:
        half = max(0.5, abs(low) * 1e-3)
        return (low - half, low + half)
    return tuple(edges.tolist())


def _grid_edges(low: float, high: float, step: float) -> tuple[float, ...]:
    """Returns edges half a step off the grid; each bin holds the same number of grid points."""
    points = round((high - low) / step) + 1
    width = 1 if points <= _MOST_VALUES + 1 else math.ceil(points / _BINS)
    count = math.ceil(points / width)
    return tuple(low - step / 2 + step * width * number for number in range(count + 1))


def _edges_between(distinct: Array) -> tuple[float, ...]:
    between = (distinct[1:] + distinct[:-1]) / 2
    first, last = 2 * distinct[0] - between[0], 2 * distinct[-1] - between[-1]
    edges: list[float] = np.concatenate([[first], between, [last]]).tolist()
    return tuple(edges)


def _distinct_values(samples: Sequence[Array], low: float, high: float) -> Array:
    """Returns the different values of the samples within the range, float64, ascending."""
    parts = []
    for values in samples:
        begin, end = np.searchsorted(values, low), np.searchsorted(values, high, side="right")
        inside = values[begin:end]
        parts.append(inside[np.flatnonzero(np.diff(inside, prepend=np.nan))])
    return np.unique(np.concatenate(parts)).astype(float) if parts else np.zeros(0)


def _find_step(distinct: Array) -> float | None:
    """Returns the distance of the grid on which the values lie, or None if they lie on none."""
    gaps = np.diff(distinct)
    step = float(gaps[gaps < 1.5 * gaps.min()].mean())
    # Float32 rounds each gap. Each longer range gives a more exact step, which counts the steps of
    # a range twice as long.
    count = 1
    while count < len(distinct):
        count = min(2 * count, len(distinct))
        span = float(distinct[count - 1] - distinct[0])
        step = span / max(round(span / step), 1)
    places = (distinct - distinct[0]) / step
    return step if np.abs(places - np.round(places)).max() < _OFF_GRID else None
