"""Measures, with TFDV, the distance between the distributions of a column in two data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2, statistics_pb2

from components.statistics_view.column_summary import (
    common_statistics,
    iter_columns,
    nan_count,
    schema_type,
)
from components.statistics_view.distributions.histograms import read_distribution, shares_by_bin
from components.statistics_view.distributions.noise import divergence_noise, share_noise

Measure = Literal["jensen_shannon_divergence", "infinity_norm"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Thresholds = Mapping[Measure, float]

_MEASURES_OF_TFDV: dict[int, Measure] = {
    anomalies_pb2.DriftSkewInfo.Measurement.JENSEN_SHANNON_DIVERGENCE: "jensen_shannon_divergence",
    anomalies_pb2.DriftSkewInfo.Measurement.L_INFTY: "infinity_norm",
}


@dataclass(frozen=True)
class Distance:
    """The distance between two distributions of one column, and the allowed distance."""

    column: str
    measure: Measure
    value: float
    threshold: float
    allowance: float
    """The distance that chance explains between samples of these sizes."""

    @property
    def limit(self) -> float:
        return self.threshold + self.allowance


@dataclass(frozen=True)
class _Pair:
    """The statistics of one column in both data sets, and its counts by bin or by value."""

    name: str
    current: statistics_pb2.FeatureNameStatistics
    previous: statistics_pb2.FeatureNameStatistics
    counts: tuple[list[float], list[float]]

    def allowance(self, measure: Measure, probability: float) -> float:
        n, m = (sum(counts) for counts in self.counts)
        pooled = [a + b for a, b in zip(*self.counts, strict=True) if a + b]
        if measure == "jensen_shannon_divergence":
            return divergence_noise(len(pooled), n, m, probability)
        return share_noise([count / (n + m) for count in pooled], n, m, probability)


def measure_distances(
    current: statistics_pb2.DatasetFeatureStatistics,
    previous: statistics_pb2.DatasetFeatureStatistics,
    thresholds: Mapping[str, Thresholds],
    probability: float,
) -> list[Distance]:
    """Returns the distances of all columns in `thresholds`.

    A column is left out if a data set has no values of it, or if its types differ in kind.

    Args:
      thresholds: tolerated distances, by column and measure.
      probability: probability that unchanged data exceeds at least one allowance.
    """
    pairs = list(_pair(current, previous, thresholds))
    each = probability / max(1, sum(len(thresholds[pair.name]) for pair in pairs))
    limits = {
        (pair.name, measure): (threshold, pair.allowance(measure, each))
        for pair in pairs
        for measure, threshold in thresholds[pair.name].items()
    }
    anomalies = tfdv.validate_statistics(
        _statistics(pair.current for pair in pairs),
        _schema(pairs, thresholds),
        previous_statistics=_statistics(pair.previous for pair in pairs),
    )
    return [
        Distance(info.path.step[0], measure, found.value, *limits[info.path.step[0], measure])
        for info in anomalies.drift_skew_info
        for found in info.drift_measurements
        if (measure := _MEASURES_OF_TFDV[found.type]) in thresholds[info.path.step[0]]
    ]


def _pair(
    current: statistics_pb2.DatasetFeatureStatistics,
    previous: statistics_pb2.DatasetFeatureStatistics,
    thresholds: Mapping[str, Thresholds],
) -> Iterator[_Pair]:
    before = dict(iter_columns(previous))
    for name, statistics in iter_columns(current):
        if name not in thresholds or name not in before:
            continue
        kinds = {s.WhichOneof("stats") for s in (statistics, before[name])}
        if kinds == {"num_stats"}:
            yield from _pair_numbers(name, statistics, before[name])
        elif kinds == {"string_stats"} and all(
            common_statistics(s).num_non_missing for s in (statistics, before[name])
        ):
            yield _Pair(name, statistics, before[name], _count_values(statistics, before[name]))


def _pair_numbers(
    name: str,
    current: statistics_pb2.FeatureNameStatistics,
    previous: statistics_pb2.FeatureNameStatistics,
) -> Iterator[_Pair]:
    samples = read_distribution(current), read_distribution(previous)
    if samples[0] is None or samples[1] is None:
        return
    shares = shares_by_bin(samples[1], samples[0], samples[1])
    sizes = [common_statistics(s).num_non_missing - nan_count(s) for s in (current, previous)]
    counts = [[size * share for share in row] for size, row in zip(sizes, shares, strict=True)]
    binned = [_with_histogram(s, row) for s, row in zip((current, previous), counts, strict=True)]
    yield _Pair(name, binned[0], binned[1], (counts[0], counts[1]))


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


def _statistics(
    features: Iterator[statistics_pb2.FeatureNameStatistics],
) -> statistics_pb2.DatasetFeatureStatisticsList:
    result = statistics_pb2.DatasetFeatureStatisticsList()
    dataset = result.datasets.add()
    dataset.features.extend(features)
    dataset.num_examples = max(
        (
            common_statistics(f).num_non_missing + common_statistics(f).num_missing
            for f in dataset.features
        ),
        default=0,
    )
    return result


def _schema(pairs: list[_Pair], thresholds: Mapping[str, Thresholds]) -> schema_pb2.Schema:
    """Returns a schema that makes TFDV compare the columns and check nothing else."""
    schema = schema_pb2.Schema()
    for pair in pairs:
        feature = schema.feature.add(name=pair.name, type=schema_type(pair.current))
        for measure, threshold in thresholds[pair.name].items():
            getattr(feature.drift_comparator, measure).threshold = threshold
    return schema
