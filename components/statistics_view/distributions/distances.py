"""Measures, with TFDV, the distance between the distributions of a column in two data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2, statistics_pb2

from components.statistics_view.column_summary import common_statistics, schema_type
from components.statistics_view.distributions.pairs import Measure, Pair, Thresholds, pair_columns

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
    pairs = list(pair_columns(current, previous, thresholds))
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


def _schema(pairs: list[Pair], thresholds: Mapping[str, Thresholds]) -> schema_pb2.Schema:
    """Returns a schema that makes TFDV compare the columns and check nothing else."""
    schema = schema_pb2.Schema()
    for pair in pairs:
        feature = schema.feature.add(name=pair.name, type=schema_type(pair.current))
        for measure, threshold in thresholds[pair.name].items():
            getattr(feature.drift_comparator, measure).threshold = threshold
    return schema
