"""Summarises TFDV's statistics of each column over all splits.

TFDV writes one proto per split, with different fields for each type. The curator and the gate need
less detail but the whole table, since a split of a small table has too few rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

_TYPES: dict[int, int] = {
    statistics_pb2.FeatureNameStatistics.INT: schema_pb2.INT,
    statistics_pb2.FeatureNameStatistics.FLOAT: schema_pb2.FLOAT,
    statistics_pb2.FeatureNameStatistics.STRING: schema_pb2.BYTES,
    statistics_pb2.FeatureNameStatistics.BYTES: schema_pb2.BYTES,
    statistics_pb2.FeatureNameStatistics.STRUCT: schema_pb2.STRUCT,
}


@dataclass(frozen=True)
class ColumnSummary:
    """Counts and values of one column of a table, over all splits."""

    name: str
    type: int
    """A schema_pb2.FeatureType."""
    rows: int
    missing: int
    """Rows without a value. NaN counts as missing, since it is how a missing float is written."""
    values_per_row: int = 1
    """The greatest number of values in a row."""
    values: Mapping[str, int] = field(default_factory=dict)
    """Rows by text or code; only the most frequent values if there are very many."""
    distinct: int = 0
    """A lower bound of the number of distinct values; greater than `len(values)` if cut off."""
    low: float | None = None
    high: float | None = None

    @property
    def present(self) -> int:
        return self.rows - self.missing

    @property
    def missing_share(self) -> float:
        return self.missing / self.rows if self.rows else 0.0

    @property
    def is_cut_off(self) -> bool:
        """Whether TFDV kept only the most frequent values."""
        return self.distinct > len(self.values)

    def examples(self, count: int = 5) -> tuple[str, ...]:
        """Returns the most frequent values; for a number the least and the greatest."""
        if self.values:
            ranked = sorted(self.values, key=lambda value: (-self.values[value], value))
            return tuple(ranked[:count])
        return tuple(f"{value:g}" for value in (self.low, self.high) if value is not None)


def summarize_columns(
    splits: Iterable[statistics_pb2.DatasetFeatureStatistics],
) -> dict[str, ColumnSummary]:
    """Returns the columns of a table, by name, from the statistics of its splits."""
    columns: dict[str, ColumnSummary] = {}
    for split in splits:
        for name, statistics in iter_columns(split):
            column = _summarize_column(name, statistics, split.num_examples)
            columns[name] = _merge(columns[name], column) if name in columns else column
    return columns


def observe_schema(columns: Mapping[str, ColumnSummary]) -> schema_pb2.Schema:
    """Returns the columns with the types that their values have, without any rule."""
    features = (schema_pb2.Feature(name=name, type=c.type) for name, c in columns.items())
    return schema_pb2.Schema(feature=list(features))


def iter_columns(
    split: statistics_pb2.DatasetFeatureStatistics,
) -> Iterator[tuple[str, statistics_pb2.FeatureNameStatistics]]:
    """Yields name and statistics of each column; a name is one step, whatever it contains."""
    for statistics in split.features:
        steps = list(statistics.path.step) or [statistics.name]
        if len(steps) == 1:
            yield steps[0], statistics


def schema_type(statistics: statistics_pb2.FeatureNameStatistics) -> int:
    """Returns the schema_pb2.FeatureType of a column with these statistics."""
    return _TYPES[statistics.type]


def nan_count(statistics: statistics_pb2.FeatureNameStatistics) -> int:
    """Returns the number of values that are NaN."""
    return max((histogram.num_nan for histogram in statistics.num_stats.histograms), default=0)


def common_statistics(
    statistics: statistics_pb2.FeatureNameStatistics,
) -> statistics_pb2.CommonStatistics:
    """Returns the part of the statistics that columns of every type have."""
    kind = statistics.WhichOneof("stats")
    return getattr(statistics, kind).common_stats if kind else statistics_pb2.CommonStatistics()


def _summarize_column(
    name: str, statistics: statistics_pb2.FeatureNameStatistics, rows: int
) -> ColumnSummary:
    common = common_statistics(statistics)
    numeric = statistics.num_stats if statistics.HasField("num_stats") else None
    present = common.num_non_missing - nan_count(statistics)
    ranks = statistics.string_stats.rank_histogram.buckets
    return ColumnSummary(
        name=name,
        type=schema_type(statistics),
        rows=rows,
        missing=rows - present,
        values_per_row=common.max_num_values,
        values={bucket.label: round(bucket.sample_count) for bucket in ranks},
        distinct=statistics.string_stats.unique,
        low=numeric.min if numeric and present else None,
        high=numeric.max if numeric and present else None,
    )


def _merge(a: ColumnSummary, b: ColumnSummary) -> ColumnSummary:
    values = Counter(a.values)
    values.update(b.values)
    lows = [column.low for column in (a, b) if column.low is not None]
    highs = [column.high for column in (a, b) if column.high is not None]
    return ColumnSummary(
        name=a.name,
        # In a split without any value, the type is not the real one.
        type=a.type if a.present else b.type,
        rows=a.rows + b.rows,
        missing=a.missing + b.missing,
        values_per_row=max(a.values_per_row, b.values_per_row),
        values=dict(values),
        distinct=max(len(values) + (a.is_cut_off or b.is_cut_off), a.distinct, b.distinct),
        low=min(lows, default=None),
        high=max(highs, default=None),
    )
