"""How far the data of two runs lies apart, by the rules of the data gate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from tensorflow_metadata.proto.v0 import statistics_pb2

from components.data_figures.figures import Distance
from components.statistics_view.column_summary import ColumnSummary, iter_columns, summarize_columns
from components.statistics_view.distributions.noise import FALSE_ALARMS
from components.statistics_view.distributions.pairs import Pair as ColumnPair
from components.statistics_view.distributions.pairs import Thresholds, pair_columns
from components.statistics_view.missing_rise import find_missing_limit
from pipeline.core.contracts import ArtifactFile, Split
from pipeline.report.comparison import ColumnChange, Judgement
from pipeline.runners.comparing.pair import Pair

Statistics: TypeAlias = statistics_pb2.DatasetFeatureStatistics


@dataclass(frozen=True)
class DriftRules:
    """What a data gate tolerates between two tables."""

    thresholds: Mapping[str, Thresholds] = field(default_factory=dict)
    """The tolerated distances of the compared columns, by measure."""
    missing_values_rise: float | None = None
    """None if the rules are unknown."""


@dataclass(frozen=True)
class TrainingData:
    """The statistics of a run's table, by split."""

    splits: Mapping[str, Statistics]

    @classmethod
    def read(cls, uri: str) -> TrainingData:
        """Returns the content of an ExampleStatistics artifact.

        Raises:
          OSError: a file cannot be read.
          google.protobuf.message.DecodeError: a file is damaged.
        """
        names = sorted(path.name for path in Path(uri).glob(f"{Split.PREFIX}*"))
        return cls({n[len(Split.PREFIX) :]: _read(Path(uri, n)) for n in names})

    @property
    def train(self) -> Statistics:
        """The statistics of split train."""
        return self.splits.get(Split.TRAIN, Statistics())

    @cached_property
    def columns(self) -> Mapping[str, ColumnSummary]:
        """The columns over all splits, by name."""
        return summarize_columns(self.splits.values())


def _read(directory: Path) -> Statistics:
    statistics = statistics_pb2.DatasetFeatureStatisticsList()
    statistics.ParseFromString((directory / ArtifactFile.STATISTICS).read_bytes())
    return statistics.datasets[0]


def compare_columns(data: Pair[TrainingData], rules: DriftRules) -> tuple[ColumnChange, ...]:
    """Returns every column of both tables, the one that changed most first.

    Args:
      rules: of the later run's gate.
    """
    distances = dict(_measure_distances(data, rules))
    names = dict.fromkeys([*data.before.columns, *data.after.columns])
    changes = (_describe(name, data, distances.get(name), rules) for name in names)
    return tuple(sorted(changes, key=_urgency, reverse=True))


def _measure_distances(
    data: Pair[TrainingData], rules: DriftRules
) -> Iterator[tuple[str, Distance]]:
    """Yields the distance of each column; of two measures, the one that is nearer its limit."""
    train = data.map(lambda side: side.train)
    names = {name for name, _ in iter_columns(train.before)}
    pairs = list(pair_columns(train.after, train.before, names))
    compared = sum(len(rules.thresholds.get(pair.name, ())) for pair in pairs)
    for pair in pairs:
        # A column that the gate does not compare: the distance alone is of interest.
        thresholds = rules.thresholds.get(pair.name) or _guess_measure(pair)
        found = _measure(pair, thresholds, FALSE_ALARMS / max(1, compared))
        yield pair.name, max(found, key=_exhaustion)


def _guess_measure(pair: ColumnPair) -> Thresholds:
    is_text = pair.current.WhichOneof("stats") == "string_stats"
    return {"infinity_norm" if is_text else "jensen_shannon_divergence": 0.0}


def _measure(pair: ColumnPair, thresholds: Thresholds, probability: float) -> list[Distance]:
    return [
        Distance(
            measure=measure,
            value=pair.distance(measure),
            threshold=threshold,
            limit=threshold + pair.allowance(measure, probability),
        )
        for measure, threshold in thresholds.items()
    ]


def _exhaustion(distance: Distance) -> float:
    """Returns the share of the allowed distance that is used up."""
    return distance.value / max(distance.limit, 1e-12)


def _describe(
    name: str, data: Pair[TrainingData], distance: Distance | None, rules: DriftRules
) -> ColumnChange:
    columns = data.map(lambda side: side.columns.get(name))
    missing = columns.map(lambda column: column.missing_share if column else None)
    limit = _find_missing_limit(columns, len(data.before.columns), rules)
    return ColumnChange(
        name=name,
        judgement=_judge(name, distance, missing.after, limit, rules),
        distance=distance,
        missing_before=missing.before,
        missing_after=missing.after,
        missing_limit=limit,
        note="" if distance else _explain(missing),
    )


def _find_missing_limit(
    columns: Pair[ColumnSummary | None], count: int, rules: DriftRules
) -> float | None:
    before, after = columns
    if before is None or after is None or not before.rows or rules.missing_values_rise is None:
        return None
    return min(1.0, find_missing_limit(after, before, rules.missing_values_rise, count))


def _judge(
    name: str,
    distance: Distance | None,
    missing: float | None,
    limit: float | None,
    rules: DriftRules,
) -> Judgement:
    is_compared = name in rules.thresholds and distance is not None
    if is_compared and distance and distance.value > distance.limit:
        return "drift"
    if missing is not None and limit is not None and missing > limit:
        return "more missing values"
    return "within the limits" if is_compared else "not judged"


def _explain(missing: Pair[float | None]) -> str:
    if missing.after is None:
        return "only the table before has the column"
    if missing.before is None:
        return "only the table after has the column"
    if 1.0 in missing:
        return "one of the tables has no value of the column"
    return "the column changed its type"


def _urgency(change: ColumnChange) -> tuple[bool, float, float]:
    """Returns what is greater for a column that a reader should see earlier."""
    if change.distance is None:
        return True, 2.0, 0.0
    before, after, limit = change.missing_before, change.missing_after, change.missing_limit
    risen = (after or 0.0) / limit if limit else 0.0
    is_far = change.judgement in ("drift", "more missing values")
    missing = abs((after or 0.0) - (before or 0.0))
    return is_far, min(max(_exhaustion(change.distance), risen), 2.0), missing
