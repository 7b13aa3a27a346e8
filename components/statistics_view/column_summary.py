"""What the statistics say of each column, over all splits.

TFDV keeps one proto a split and a different one for each type. The curator and the gate ask simpler
questions, and ask them of the whole table: a split of a small table is too small to answer.
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
    """One column of a table."""

    name: str
    type: int
    """A schema_pb2.FeatureType."""
    rows: int
    missing: int
    """Rows without a value; NaN is none, it is how a missing float is written."""
    values_per_row: int = 1
    """The most values that one row holds."""
    values: Mapping[str, int] = field(default_factory=dict)
    """How often each text or code stands in the table; of very many, TFDV keeps the most
    frequent."""
    distinct: int = 0
    """The number of these values, at least; more than `values` holds where those are cut off."""
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
        return self.distinct > len(self.values)

    def examples(self, count: int = 5) -> tuple[str, ...]:
        """The most frequent values, of a number its extremes."""
        if self.values:
            ranked = sorted(self.values, key=lambda value: (-self.values[value], value))
            return tuple(ranked[:count])
        return tuple(f"{value:g}" for value in (self.low, self.high) if value is not None)


def summarize_columns(
    splits: Iterable[statistics_pb2.DatasetFeatureStatistics],
) -> dict[str, ColumnSummary]:
    """The columns of the table whose splits have these statistics, by name."""
    columns: dict[str, ColumnSummary] = {}
    for split in splits:
        for name, statistics in iter_columns(split):
            column = _summarize_column(name, statistics, split.num_examples)
            columns[name] = _merge(columns[name], column) if name in columns else column
    return columns


def iter_columns(
    split: statistics_pb2.DatasetFeatureStatistics,
) -> Iterator[tuple[str, statistics_pb2.FeatureNameStatistics]]:
    """The statistics by column; the name is a path of one step, whatever characters it holds."""
    for statistics in split.features:
        steps = list(statistics.path.step) or [statistics.name]
        if len(steps) == 1:
            yield steps[0], statistics


def schema_type(statistics: statistics_pb2.FeatureNameStatistics) -> int:
    """The schema_pb2.FeatureType of a column with these statistics."""
    return _TYPES[statistics.type]


def nan_count(statistics: statistics_pb2.FeatureNameStatistics) -> int:
    """The values that are NaN."""
    return max((histogram.num_nan for histogram in statistics.num_stats.histograms), default=0)


def common_statistics(
    statistics: statistics_pb2.FeatureNameStatistics,
) -> statistics_pb2.CommonStatistics:
    """The part that columns of every type have."""
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
        # A split without a single value has no type of its own.
        type=a.type if a.present else b.type,
        rows=a.rows + b.rows,
        missing=a.missing + b.missing,
        values_per_row=max(a.values_per_row, b.values_per_row),
        values=dict(values),
        distinct=max(len(values) + (a.is_cut_off or b.is_cut_off), a.distinct, b.distinct),
        low=min(lows, default=None),
        high=max(highs, default=None),
    )
