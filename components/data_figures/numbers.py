"""Summarises a number in each sample, and counts all samples between the same edges.

The splits are counted row by row. Of the served model's data only TFDV's statistics are left: the
deciles, and ten buckets of equal width. Between two of these boundaries, values count as evenly
spread.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from components.data_figures.association_measures import Array
from components.data_figures.edges import choose_edges
from components.data_figures.figures import Histogram, NumberSummary
from components.data_figures.samples import Statistics, count_values
from components.statistics_view.distributions.histograms import (
    DistributionFunction,
    read_finer_distribution,
)

_TAIL = 1.5
"""How far the bins reach beyond the outer deciles, as a multiple of the distance between them.
A normal distribution then lies within the bins but for one value in three million."""


@dataclass(frozen=True)
class CountedRows:
    """The values of a number in rows of one split."""

    values: Array
    """Ascending and finite, [n]."""
    below: int = 0
    """Values of minus infinity."""
    above: int = 0
    """Values of infinity."""

    @property
    def count(self) -> int:
        return len(self.values) + self.below + self.above

    def quantile(self, share: float) -> float | None:
        """Returns the quantile of all values, as pandas computes it; None if it is infinite."""
        if not self.below and not self.above and len(self.values):
            return float(np.quantile(self.values.astype(float), share))
        place = math.floor(share * (self.count - 1)) - self.below
        return float(self.values[place]) if 0 <= place < len(self.values) else None


def sort_values(cells: pa.ChunkedArray) -> CountedRows:
    """Returns the values of int64 or float32 cells; NaN and null are none."""
    values = cells.to_numpy()
    values = np.sort(values[~np.isnan(values)])
    first = int(np.searchsorted(values, -np.inf, side="right"))
    last = int(np.searchsorted(values, np.inf))
    return CountedRows(values[first:last], first, len(values) - last)


def summarize_number(statistics: Statistics, rows: CountedRows | None) -> NumberSummary | None:
    """Returns the summary of a number in one sample, or None if the sample has no value.

    Args:
      statistics: of all rows of the sample.
      rows: the sample's rows, or some of them; None estimates the quantiles.
    """
    distribution = read_finer_distribution(statistics)
    if distribution is None:
        return None
    numbers = statistics.num_stats
    quantile = rows.quantile if rows is not None and rows.count else distribution.quantile
    return NumberSummary(
        minimum=_finite(numbers.min),
        lower_quartile=_finite(quantile(0.25)),
        median=_finite(quantile(0.5)),
        upper_quartile=_finite(quantile(0.75)),
        maximum=_finite(numbers.max),
        mean=_finite(numbers.mean),
        standard_deviation=_finite(numbers.std_dev),
        zeros=numbers.num_zeros / max(count_values(statistics), 1),
    )


def count_numbers(
    samples: Mapping[str, Statistics], counted: Mapping[str, CountedRows], is_integer: bool
) -> Histogram | None:
    """Returns the histogram of all samples that have values, or None if none has a finite value.

    Args:
      samples: the statistics of all rows, by sample.
      counted: the rows, by sample. A sample without rows is estimated from its statistics.
    """
    found = {name: read_finer_distribution(statistics) for name, statistics in samples.items()}
    distributions = {name: d for name, d in found.items() if d is not None}
    ranges = [r for d in distributions.values() if (r := _robust_range(d)) is not None]
    if not ranges:
        return None
    low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
    values = [rows.values for name, rows in counted.items() if name in distributions]
    edges = choose_edges(low, high, is_integer, values)
    bins = {
        name: _count(counted[name], edges)
        if name in counted and counted[name].count
        else _estimate(distribution, edges, count_values(samples[name]))
        for name, distribution in distributions.items()
    }
    return Histogram(
        edges=edges,
        shares={name: found.shares for name, found in bins.items()},
        below={name: found.below for name, found in bins.items()},
        above={name: found.above for name, found in bins.items()},
        values={name: found.values for name, found in bins.items()},
        estimated=tuple(name for name in bins if name not in counted),
    )


@dataclass(frozen=True)
class _Bins:
    shares: tuple[float, ...]
    below: int
    above: int
    values: int


def _count(rows: CountedRows, edges: Sequence[float]) -> _Bins:
    # A bin holds its lower edge; the last one holds both.
    last = int(np.searchsorted(rows.values, edges[-1], side="right"))
    places = [*np.searchsorted(rows.values, edges[:-1]).tolist(), last]
    shares = tuple((b - a) / rows.count for a, b in itertools.pairwise(places))
    above = rows.above + len(rows.values) - places[-1]
    return _Bins(shares, rows.below + places[0], above, rows.count)


def _estimate(distribution: DistributionFunction, edges: Sequence[float], values: int) -> _Bins:
    steps = [distribution.below(edge) for edge in edges[:-1]]
    steps.append(distribution.at_most(edges[-1]))
    shares = tuple(max(b - a, 0.0) for a, b in itertools.pairwise(steps))
    return _Bins(shares, round(steps[0] * values), round((1 - steps[-1]) * values), values)


def _robust_range(distribution: DistributionFunction) -> tuple[float, float] | None:
    finite = [value for value in distribution.values if math.isfinite(value)]
    if not finite:
        return None
    low, high = distribution.quantile(0.1), distribution.quantile(0.9)
    reach = _TAIL * (high - low)
    if not math.isfinite(reach) or reach == 0:
        return finite[0], finite[-1]
    return max(finite[0], low - reach), min(finite[-1], high + reach)


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
