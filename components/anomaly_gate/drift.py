"""Finds drift against the data of the served model, and skew between the splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tensorflow_metadata.proto.v0 import statistics_pb2

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.formatting import format_share
from components.anomaly_gate.gate_inputs import GateInputs
from components.statistics_view.column_summary import iter_columns
from components.statistics_view.distributions.distances import Distance, measure_distances
from components.statistics_view.distributions.noise import FALSE_ALARMS
from components.statistics_view.distributions.pairs import Measure
from components.statistics_view.distributions.thresholds import choose_thresholds
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
    allowed = choose_thresholds(inputs.schema, inputs.rules, "drift_comparator")
    for distance in measure_distances(current, previous, allowed, FALSE_ALARMS):
        if distance.value > distance.limit:
            problem = f"'{distance.column}' has drifted away from the data of {inputs.served}"
            explanation = _explain_distance(problem, distance, current, previous)
            yield distance.column, (Split.TRAIN,), replace(explanation, against=inputs.served)


def explain_skew(inputs: GateInputs) -> Iterator[tuple[str, tuple[str, ...], Explanation]]:
    """Yields column, split and explanation of each column that a split distributes unlike train."""
    train = inputs.statistics[Split.TRAIN]
    others = {split: s for split, s in inputs.statistics.items() if split != Split.TRAIN}
    allowed = choose_thresholds(inputs.schema, inputs.rules, "skew_comparator")
    for split, statistics in others.items():
        for distance in measure_distances(statistics, train, allowed, FALSE_ALARMS / len(others)):
            if distance.value > distance.limit:
                problem = f"'{distance.column}' is not distributed in {split} as in train"
                explanation = _explain_distance(problem, distance, statistics, train)
                yield distance.column, (split,), replace(explanation, against="split train")


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
