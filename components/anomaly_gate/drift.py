"""Finds drift against the data of the served model, and skew between the splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

from components.anomaly_gate.distributions.distances import (
    Distance,
    Measure,
    Thresholds,
    measure_distances,
)
from components.anomaly_gate.distributions.noise import FALSE_ALARMS
from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.formatting import format_share
from components.anomaly_gate.gate_inputs import GateInputs
from components.statistics_view.column_summary import iter_columns
from pipeline.core.contracts import Split

_MEASURE_NAMES: dict[Measure, str] = {
    "jensen_shannon_divergence": "a Jensen-Shannon divergence",
    "infinity_norm": "an L-infinity distance",
}


def explain_drift(inputs: GateInputs) -> Iterator[tuple[str, tuple[str, ...], Explanation]]:
    """Yields column, splits and explanation of each column that differs from the served data."""
    if inputs.reference is None:
        return
    current, previous = inputs.statistics[Split.TRAIN], inputs.reference.statistics[Split.TRAIN]
    allowed = choose_thresholds(inputs, "drift_comparator")
    for distance in measure_distances(current, previous, allowed, FALSE_ALARMS):
        if distance.value > distance.limit:
            problem = f"'{distance.column}' has drifted away from the data of {inputs.served}"
            explanation = _explain_distance(problem, distance, current, previous)
            yield distance.column, (Split.TRAIN,), replace(explanation, against=inputs.served)


def explain_skew(inputs: GateInputs) -> Iterator[tuple[str, tuple[str, ...], Explanation]]:
    """Yields column, split and explanation of each column that a split distributes unlike train."""
    train = inputs.statistics[Split.TRAIN]
    others = {split: s for split, s in inputs.statistics.items() if split != Split.TRAIN}
    allowed = choose_thresholds(inputs, "skew_comparator")
    for split, statistics in others.items():
        for distance in measure_distances(statistics, train, allowed, FALSE_ALARMS / len(others)):
            if distance.value > distance.limit:
                problem = f"'{distance.column}' is not distributed in {split} as in train"
                explanation = _explain_distance(problem, distance, statistics, train)
                yield distance.column, (split,), replace(explanation, against="split train")


def choose_thresholds(
    inputs: GateInputs, comparator: Literal["drift_comparator", "skew_comparator"]
) -> dict[str, Thresholds]:
    """Returns the tolerated distance of each compared column, by measure.

    A comparator in the schema was written by a person and decides. Without one, the features and
    the label are compared: categories by the greatest difference of the shares of a value, numbers
    by their histograms.
    """
    result: dict[str, Thresholds] = {}
    for feature in inputs.schema.feature:
        wanted = getattr(feature, comparator)
        explicit = {m: getattr(wanted, m).threshold for m in _MEASURE_NAMES if wanted.HasField(m)}
        if explicit:
            result[feature.name] = explicit
        elif inputs.rules.is_compared(feature.name):
            result[feature.name] = _default_threshold(feature, inputs)
    return result


def _default_threshold(feature: schema_pb2.Feature, inputs: GateInputs) -> Thresholds:
    validation = inputs.rules.validation
    is_code = feature.type == schema_pb2.INT and inputs.rules.is_category(feature.name)
    if feature.type == schema_pb2.BYTES or is_code:
        return {"infinity_norm": validation.categorical_drift}
    return {"jensen_shannon_divergence": validation.numeric_drift}


def _explain_distance(
    problem: str,
    distance: Distance,
    current: statistics_pb2.DatasetFeatureStatistics,
    previous: statistics_pb2.DatasetFeatureStatistics,
) -> Explanation:
    now, before = (dict(iter_columns(s))[distance.column] for s in (current, previous))
    return Explanation(
        problem=problem,
        expected=f"{_MEASURE_NAMES[distance.measure]} of at most {distance.limit:.2g} "
        f"({distance.threshold:g}, and {distance.allowance:.2g} for chance)",
        found=f"{distance.value:.2g}; {', '.join(_describe_changes(now, before))}",
    )


def _describe_changes(
    now: statistics_pb2.FeatureNameStatistics, before: statistics_pb2.FeatureNameStatistics
) -> list[str]:
    """Returns the medians of a number, or the three values whose shares have changed most."""
    if now.HasField("num_stats"):
        medians = before.num_stats.median, now.num_stats.median
        return [f"median {medians[0]:g} -> {medians[1]:g}"]
    old, new = _shares(before), _shares(now)
    values = sorted(
        old.keys() | new.keys(),
        key=lambda value: (-abs(new.get(value, 0) - old.get(value, 0)), value),
    )
    return [
        f"'{value}' {format_share(old.get(value, 0))} -> {format_share(new.get(value, 0))}"
        for value in values[:3]
    ]


def _shares(statistics: statistics_pb2.FeatureNameStatistics) -> dict[str, float]:
    count = statistics.string_stats.common_stats.num_non_missing
    ranks = statistics.string_stats.rank_histogram.buckets
    return {bucket.label: bucket.sample_count / count for bucket in ranks}
