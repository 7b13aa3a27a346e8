"""How far the training data of two runs lies apart, by the measures of the data gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from tensorflow_metadata.proto.v0 import statistics_pb2

from components.data_figures.figures import Distance
from components.statistics_view.column_summary import common_statistics, iter_columns, nan_count
from components.statistics_view.distributions.noise import FALSE_ALARMS
from components.statistics_view.distributions.pairs import Measure, Pair, pair_columns
from pipeline.config import ValidationConfig
from pipeline.core.contracts import ArtifactFile, Split
from pipeline.report.comparison import ColumnChange

Statistics: TypeAlias = statistics_pb2.DatasetFeatureStatistics


def read_train_statistics(uri: str) -> Statistics:
    """Returns the statistics of split train in an ExampleStatistics artifact.

    Raises:
      OSError: the file cannot be read.
      google.protobuf.message.DecodeError: the file is damaged.
    """
    path = Path(uri) / f"{Split.PREFIX}{Split.TRAIN}" / ArtifactFile.STATISTICS
    statistics = statistics_pb2.DatasetFeatureStatisticsList()
    statistics.ParseFromString(path.read_bytes())
    return statistics.datasets[0]


def compare_columns(
    before: Statistics, after: Statistics, validation: ValidationConfig
) -> tuple[ColumnChange, ...]:
    """Returns every column of both tables, the one that changed most first.

    Args:
      validation: the thresholds of the distances.
    """
    missing = [_measure_missing(statistics) for statistics in (before, after)]
    names = dict.fromkeys([*missing[0], *missing[1]])
    distances = _measure_distances(before, after, names, validation)
    changes = (
        ColumnChange(
            name=name,
            distance=distances.get(name),
            missing_before=missing[0].get(name),
            missing_after=missing[1].get(name),
            note="" if name in distances else _explain(name, *missing),
        )
        for name in names
    )
    return tuple(sorted(changes, key=_urgency, reverse=True))


def _measure_missing(statistics: Statistics) -> dict[str, float]:
    """Returns the share of rows without a value, by column; NaN is none."""
    rows = statistics.num_examples or 1
    counts = {
        name: common_statistics(column).num_non_missing - nan_count(column)
        for name, column in iter_columns(statistics)
    }
    return {name: 1 - count / rows for name, count in counts.items()}


def _measure_distances(
    before: Statistics, after: Statistics, names: Iterable[str], validation: ValidationConfig
) -> dict[str, Distance]:
    pairs = list(pair_columns(after, before, set(names)))
    probability = FALSE_ALARMS / max(1, len(pairs))
    return {pair.name: _measure(pair, probability, validation) for pair in pairs}


def _measure(pair: Pair, probability: float, validation: ValidationConfig) -> Distance:
    is_text = pair.current.WhichOneof("stats") == "string_stats"
    measure: Measure = "infinity_norm" if is_text else "jensen_shannon_divergence"
    threshold = validation.categorical_drift if is_text else validation.numeric_drift
    return Distance(
        measure=measure,
        value=pair.distance(measure),
        threshold=threshold,
        limit=threshold + pair.allowance(measure, probability),
    )


def _explain(name: str, before: Mapping[str, float], after: Mapping[str, float]) -> str:
    if name not in after:
        return "only the table before has the column"
    if name not in before:
        return "only the table after has the column"
    if 1.0 in (before[name], after[name]):
        return "one of the tables has no value of the column"
    return "the column changed its type"


def _urgency(change: ColumnChange) -> tuple[float, float]:
    if change.distance is None:
        return 2.0, 0.0
    limit = change.distance.limit or 1.0
    missing = abs((change.missing_after or 0.0) - (change.missing_before or 0.0))
    return min(change.distance.value / limit, 2.0), missing
