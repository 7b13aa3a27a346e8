"""Summarises a number in each sample, and counts all samples over the same bins.

TFDV's statistics hold the deciles of a number, and ten buckets of equal width. Between two of these
boundaries, values count as evenly spread.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from components.data_figures.figures import Histogram, NumberSummary
from components.data_figures.samples import Statistics, count_values
from components.statistics_view.distributions.histograms import (
    DistributionFunction,
    read_finer_distribution,
)

_BINS = 20
"""Half as many hide a second peak. Twice as many would only show which boundaries are known."""
_MOST_INTEGERS = 30
"""Up to this range, each integer has a bin of its own."""
_TAIL = 1.5
"""How far the bins reach beyond the outer deciles, as a multiple of the distance between them.
A normal distribution then lies within the bins but for one value in ten million; the outermost
bins also hold what lies beyond."""


def summarize_number(statistics: Statistics) -> NumberSummary | None:
    """Returns the summary of a number in one sample, or None if the sample has no value."""
    distribution = read_finer_distribution(statistics)
    if distribution is None:
        return None
    numbers = statistics.num_stats
    return NumberSummary(
        minimum=_finite(numbers.min),
        lower_quartile=_finite(distribution.quantile(0.25)),
        median=_finite(numbers.median),
        upper_quartile=_finite(distribution.quantile(0.75)),
        maximum=_finite(numbers.max),
        mean=_finite(numbers.mean),
        standard_deviation=_finite(numbers.std_dev),
        zeros=numbers.num_zeros / max(count_values(statistics), 1),
    )


def count_numbers(samples: Mapping[str, Statistics], is_integer: bool) -> Histogram | None:
    """Returns the histogram of all samples that have values, or None if none has a finite value."""
    found = {name: read_finer_distribution(statistics) for name, statistics in samples.items()}
    distributions = {name: d for name, d in found.items() if d is not None}
    ranges = [r for d in distributions.values() if (r := _robust_range(d)) is not None]
    if not ranges:
        return None
    lows, highs = zip(*ranges, strict=True)
    edges = choose_edges(min(lows), max(highs), is_integer)
    return Histogram(
        edges=edges, shares={name: _shares(d, edges) for name, d in distributions.items()}
    )


def choose_edges(low: float, high: float, is_integer: bool) -> tuple[float, ...]:
    """Returns the edges of bins of equal width over a range, ascending, at least two."""
    if is_integer and 0 < high - low < 2**52:
        width = 1 if high - low <= _MOST_INTEGERS else math.ceil((high - low + 1) / _BINS)
        count = math.ceil((high - low + 1) / width)
        return tuple(low - 0.5 + width * number for number in range(count + 1))
    edges = np.unique(np.linspace(low, high, _BINS + 1))
    if len(edges) < 2:
        half = max(0.5, abs(low) * 1e-3)
        return (low - half, low + half)
    return tuple(edges.tolist())


def _robust_range(distribution: DistributionFunction) -> tuple[float, float] | None:
    finite = [value for value in distribution.values if math.isfinite(value)]
    if not finite:
        return None
    low, high = distribution.quantile(0.1), distribution.quantile(0.9)
    reach = _TAIL * (high - low)
    if not math.isfinite(reach) or reach == 0:
        return finite[0], finite[-1]
    return max(finite[0], low - reach), min(finite[-1], high + reach)


def _shares(distribution: DistributionFunction, edges: Sequence[float]) -> tuple[float, ...]:
    steps = [0.0, *(distribution.below(edge) for edge in edges[1:-1]), 1.0]
    return tuple(max(b - a, 0.0) for a, b in itertools.pairwise(steps))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
