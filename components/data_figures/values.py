"""Counts the most frequent values of a category or a text in all samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from components.data_figures.figures import ValueShares
from components.data_figures.samples import Statistics
from components.statistics_view.column_summary import common_statistics
from pipeline.core.text import shorten

_MOST_VALUES = 20
_LONGEST = 120
"""Characters of a value: texts of ten thousand characters would fill the page."""


def share_values(samples: Mapping[str, Statistics]) -> ValueShares | None:
    """Returns the values that are most frequent over all samples, or None without any value.

    Each sample weighs the same, so that a value which is new in a small sample is seen.
    """
    shares = {
        name: found for name, statistics in samples.items() if (found := _value_shares(statistics))
    }
    if not shares:
        return None
    weights: Counter[str] = Counter()
    for found in shares.values():
        weights.update(found)
    top = sorted(weights, key=lambda value: (-weights[value], value))[:_MOST_VALUES]
    listed = {name: tuple(s.get(value, 0.0) for value in top) for name, s in shares.items()}
    return ValueShares(
        values=tuple(shorten(value, _LONGEST) for value in top),
        shares=listed,
        other={name: max(0.0, 1 - sum(found)) for name, found in listed.items()},
    )


def _value_shares(statistics: Statistics) -> dict[str, float]:
    count = common_statistics(statistics).num_non_missing
    buckets = statistics.string_stats.rank_histogram.buckets
    return {bucket.label: bucket.sample_count / count for bucket in buckets} if count else {}
