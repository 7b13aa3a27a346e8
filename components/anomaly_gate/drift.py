"""Finds drift against the data of the served model, and skew between the splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tensorflow_metadata.proto.v0 import statistics_pb2

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.formatting import round_up_share
from components.anomaly_gate.gate_inputs import GateInputs
from components.statistics_view.column_summary import common_statistics, iter_columns
from components.statistics_view.distributions.distances import Distance, measure_distances
from components.statistics_view.distributions.noise import FALSE_ALARMS
from components.statistics_view.distributions.pairs import Measure
from components.statistics_view.distributions.thresholds import choose_thresholds
from components.statistics_view.distributions.wording import (
    MEANINGS,
    MEASURE_NAMES,
    format_distance,
    format_share,
)
from pipeline.config.base import dotted
from pipeline.core.contracts import Split

_ARTICLES: dict[Measure, str] = {"jensen_shannon_divergence": "a", "infinity_norm": "an"}
_Comparator = Literal["drift_comparator", "skew_comparator"]
_SETTINGS: dict[_Comparator, str] = {"drift_comparator": "drift", "skew_comparator": "skew"}


def explain_drift(inputs: GateInputs) -> Iterator[tuple[str, tuple[str, ...], Explanation]]:
    """Yields column, splits and explanation of each column that differs from the served data."""
    if inputs.reference is None:
        return
    current, previous = inputs.statistics[Split.TRAIN], inputs.reference.statistics[Split.TRAIN]
    allowed = choose_thresholds(inputs.schema, inputs.rules, "drift_comparator")
    for distance in measure_distances(current, previous, allowed, FALSE_ALARMS):
        if distance.value > distance.limit:
            problem = f"'{distance.column}' has drifted away from the data of {inputs.served}"
            compared = _Compared(inputs, "drift_comparator", current, previous)
            explanation = _explain_distance(problem, distance, compared)
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
                compared = _Compared(inputs, "skew_comparator", statistics, train)
                explanation = _explain_distance(problem, distance, compared)
                yield distance.column, (split,), replace(explanation, against="split train")


@dataclass(frozen=True)
class _Compared:
    """Two data sets, and the rules by which they are compared."""

    inputs: GateInputs
    comparator: _Comparator
    current: statistics_pb2.DatasetFeatureStatistics
    previous: statistics_pb2.DatasetFeatureStatistics

    def origin_of_threshold(self, distance: Distance) -> str:
        """Returns where the threshold was set."""
        setting = _SETTINGS[self.comparator]
        column, validation = distance.column, self.inputs.rules.validation
        if getattr(validation.column(column), setting) is not None:
            return f"`{dotted(('validation', 'columns', column, setting))}`"
        if self.inputs.schema_feature(column).HasField(self.comparator):
            return "the schema"
        kind = "categorical" if distance.measure == "infinity_norm" else "numeric"
        return f"`validation.{kind}_drift`"


def _explain_distance(problem: str, distance: Distance, compared: _Compared) -> Explanation:
    samples = (compared.current, compared.previous)
    now, before = (dict(iter_columns(s))[distance.column] for s in samples)
    rows = " and ".join(f"{common_statistics(s).num_non_missing:,}" for s in (now, before))
    name = f"{_ARTICLES[distance.measure]} {MEASURE_NAMES[distance.measure]}"
    # Rounding up must not accept more than this distance: the part that chance explains stays.
    tolerated = round_up_share(distance.value - distance.allowance)
    return Explanation(
        problem=problem,
        expected=f"{name} ({MEANINGS[distance.measure]}) of at most "
        f"{format_distance(distance.limit)}: {format_distance(distance.threshold)} by "
        f"{compared.origin_of_threshold(distance)}, and {format_distance(distance.allowance)} "
        f"that chance explains in {rows} rows",
        found=f"{format_distance(distance.value)}; {', '.join(_describe_changes(now, before))}",
        settings={_SETTINGS[compared.comparator]: tolerated},
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
