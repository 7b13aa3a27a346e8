"""Measures how far each column has moved, as the gate does."""

from __future__ import annotations

from collections.abc import Mapping

from components.data_figures.figures import SERVED, Distance
from components.data_figures.samples import DataInputs
from components.statistics_view.distributions import distances
from components.statistics_view.distributions.noise import FALSE_ALARMS
from components.statistics_view.distributions.thresholds import choose_thresholds
from pipeline.core.contracts import Split


def measure_drift(inputs: DataInputs) -> dict[str, Distance]:
    """Returns, by column, how far split train lies from the data of the served model."""
    if inputs.reference is None or SERVED not in inputs.samples:
        return {}
    thresholds = choose_thresholds(inputs.schema, inputs.rules, "drift_comparator")
    current, previous = inputs.statistics[Split.TRAIN], inputs.reference.statistics[Split.TRAIN]
    found = distances.measure_distances(current, previous, thresholds, FALSE_ALARMS)
    return _greatest_by_column(found)


def measure_skew(inputs: DataInputs) -> dict[str, Mapping[str, Distance]]:
    """Returns, by column and split, how far the split lies from split train."""
    thresholds = choose_thresholds(inputs.schema, inputs.rules, "skew_comparator")
    train = inputs.statistics[Split.TRAIN]
    others = {split: s for split, s in inputs.statistics.items() if split != Split.TRAIN}
    result: dict[str, dict[str, Distance]] = {}
    for split, statistics in others.items():
        found = distances.measure_distances(
            statistics, train, thresholds, FALSE_ALARMS / len(others)
        )
        for column, distance in _greatest_by_column(found).items():
            result.setdefault(column, {})[split] = distance
    return dict(result)


def _greatest_by_column(found: list[distances.Distance]) -> dict[str, Distance]:
    """Returns one distance for each column: of two measures, the one that is nearer its limit."""
    found = sorted(found, key=lambda distance: distance.value / max(distance.limit, 1e-12))
    return {
        distance.column: Distance(
            measure=distance.measure,
            value=distance.value,
            threshold=distance.threshold,
            limit=distance.limit,
        )
        for distance in found
    }
