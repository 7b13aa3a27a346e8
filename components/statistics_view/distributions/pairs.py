"""Puts the columns of two data sets side by side: counts over the same bins, or by value.

Imports no TFDV: the command line compares the data of two runs with this module.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from tensorflow_metadata.proto.v0 import statistics_pb2

from components.statistics_view.column_summary import common_statistics, iter_columns, nan_count
from components.statistics_view.distributions.histograms import read_distribution, shares_by_bin
from components.statistics_view.distributions.noise import divergence_noise, share_noise

Measure = Literal["jensen_shannon_divergence", "infinity_norm"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Thresholds = Mapping[Measure, float]


@dataclass(frozen=True)
class Pair:
    """The statistics of one column in both data sets, and its counts by bin or by value."""

    name: str
    current: statistics_pb2.FeatureNameStatistics
    previous: statistics_pb2.FeatureNameStatistics
    counts: tuple[list[float], list[float]]

    def allowance(self, measure: Measure, probability: float) -> float:
        """Returns the distance that chance exceeds with this probability on unchanged data."""
        n, m = (sum(counts) for counts in self.counts)
        pooled = [a + b for a, b in zip(*self.counts, strict=True) if a + b]
        if measure == "jensen_shannon_divergence":
            return divergence_noise(len(pooled), n, m, probability)
        return share_noise([count / (n + m) for count in pooled], n, m, probability)

    def distance(self, measure: Measure) -> float:
        """Returns the distance of the counts, as TFDV computes it."""
        first, second = ([count / sum(counts) for count in counts] for counts in self.counts)
        shares = list(zip(first, second, strict=True))
        if measure == "infinity_norm":
            return max(abs(p - q) for p, q in shares)
        return sum(_divergence(p, (p + q) / 2) + _divergence(q, (p + q) / 2) for p, q in shares) / 2


def _divergence(share: float, mean: float) -> float:
    """Returns a bin's part of the Kullback-Leibler divergence from the mean, in bits."""
    return share * math.log2(share / mean) if share else 0.0


def pair_columns(
    current: statistics_pb2.DatasetFeatureStatistics,
    previous: statistics_pb2.DatasetFeatureStatistics,
    columns: Container[str],
) -> Iterator[Pair]:
    """Yields the columns that have values in both data sets, and the same kind of type."""
    before = dict(iter_columns(previous))
    for name, statistics in iter_columns(current):
        if name not in columns or name not in before:
            continue
        kinds = {s.WhichOneof("stats") for s in (statistics, before[name])}
        if kinds == {"num_stats"}:
            yield from _pair_numbers(name, statistics, before[name])
        elif kinds == {"string_stats"} and all(
            common_statistics(s).num_non_missing for s in (statistics, before[name])
        ):
            yield Pair(name, statistics, before[name], _count_values(statistics, before[name]))


def _pair_numbers(
    name: str,
    current: statistics_pb2.FeatureNameStatistics,
    previous: statistics_pb2.FeatureNameStatistics,
) -> Iterator[Pair]:
    samples = read_distribution(current), read_distribution(previous)
    if samples[0] is None or samples[1] is None:
        return
    shares = shares_by_bin(samples[1], samples[0], samples[1])
    sizes = [common_statistics(s).num_non_missing - nan_count(s) for s in (current, previous)]
    counts = [[size * share for share in row] for size, row in zip(sizes, shares, strict=True)]
    binned = [_with_histogram(s, row) for s, row in zip((current, previous), counts, strict=True)]
    yield Pair(name, binned[0], binned[1], (counts[0], counts[1]))


def _with_histogram(
    statistics: statistics_pb2.FeatureNameStatistics, counts: list[float]
) -> statistics_pb2.FeatureNameStatistics:
    """Returns a copy of the statistics whose histogram has these counts in numbered bins."""
    result = statistics_pb2.FeatureNameStatistics()
    result.CopyFrom(statistics)
    # Both sides become floats, so that an int column can be compared with a float column.
    result.type = statistics_pb2.FeatureNameStatistics.FLOAT
    del result.num_stats.histograms[:]
    histogram = result.num_stats.histograms.add(type=statistics_pb2.Histogram.STANDARD)
    for number, count in enumerate(counts):
        histogram.buckets.add(low_value=number, high_value=number + 1, sample_count=count)
    return result


def _count_values(
    *samples: statistics_pb2.FeatureNameStatistics,
) -> tuple[list[float], list[float]]:
    counts = [
        {bucket.label: bucket.sample_count for bucket in s.string_stats.rank_histogram.buckets}
        for s in samples
    ]
    values = sorted(counts[0].keys() | counts[1].keys())
    first, second = ([count.get(value, 0.0) for value in values] for count in counts)
    return first, second
