"""Makes the figures of each column from the statistics of all samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd
import pyarrow as pa
from tensorflow_metadata.proto.v0 import statistics_pb2

from components.data_figures.attention import Signs, score_attention
from components.data_figures.figures import ColumnFigures, Distance
from components.data_figures.numbers import CountedRows, count_numbers, summarize_number
from components.data_figures.samples import DataInputs, Statistics
from components.data_figures.values import share_values
from components.statistics_view.column_summary import ColumnSummary

ColumnType = Literal["integer", "number", "text"]
_TYPES: dict[int, ColumnType] = {
    statistics_pb2.FeatureNameStatistics.INT: "integer",
    statistics_pb2.FeatureNameStatistics.FLOAT: "number",
}


@dataclass(frozen=True)
class DistinctNumbers:
    """How many different numbers some rows hold."""

    count: int
    rows: int


@dataclass(frozen=True)
class Measured:
    """What is measured for all columns together, by column."""

    drift: Mapping[str, Distance]
    skew: Mapping[str, Mapping[str, Distance]]
    with_label: Mapping[str, float | None]
    distinct: Mapping[str, DistinctNumbers]


CountedSamples = Mapping[str, CountedRows]
"""The values of a number by split."""


def describe_column(
    inputs: DataInputs, measured: Measured, name: str, counted: CountedSamples
) -> ColumnFigures:
    """Returns the figures of one column.

    Args:
      counted: the rows of each split if the column is a number.
    """
    samples = inputs.column(name)
    kind = find_type(samples)
    numbers = {s: c for s, c in samples.items() if c.HasField("num_stats")}
    texts = {s: c for s, c in samples.items() if c.HasField("string_stats")}
    has_numbers = holds_numbers(samples)
    distinct = measured.distinct.get(name) if has_numbers else None
    signs = _find_signs(inputs, measured, name)
    attention, reasons = score_attention(signs)
    return ColumnFigures(
        name=name,
        role=signs.role,
        kind=inputs.label.task if signs.role == "label" else inputs.rules.kinds.get(name, ""),
        type=kind,
        missing=signs.missing,
        distinct=distinct.count if distinct else _count_distinct(inputs, name),
        distinct_rows=distinct.rows if distinct else None,
        numbers={
            sample: summary
            for sample, statistics in numbers.items()
            if has_numbers
            and (summary := summarize_number(statistics, counted.get(sample))) is not None
        },
        histogram=count_numbers(numbers, counted, kind == "integer") if has_numbers else None,
        values=None if has_numbers else share_values(texts),
        drift=signs.drift,
        skew=signs.skew,
        with_label=signs.with_label,
        attention=attention,
        reasons=reasons,
    )


def find_type(samples: Mapping[str, Statistics]) -> ColumnType:
    """Returns the type of a column in the first sample that has values, split train before others.

    In a sample without any value, TFDV's type is not the real one.
    """
    with_values = (s for s in samples.values() if _has_values(s))
    first = next(with_values, next(iter(samples.values()), None))
    return _TYPES.get(first.type, "text") if first is not None else "text"


def holds_numbers(samples: Mapping[str, Statistics]) -> bool:
    """Whether the column is a number. Integers that are codes are counted like texts."""
    with_values = (s for s in samples.values() if _has_values(s))
    first = next(with_values, None)
    return first is not None and first.HasField("num_stats")


def count_distinct_numbers(cells: pa.ChunkedArray) -> DistinctNumbers:
    """Returns how many different numbers the cells [n] hold; missing values are none."""
    return DistinctNumbers(int(pd.Series(cells.to_numpy()).nunique()), len(cells))


def _has_values(statistics: Statistics) -> bool:
    kind = statistics.WhichOneof("stats")
    return bool(kind and getattr(statistics, kind).common_stats.num_non_missing)


def _count_distinct(inputs: DataInputs, name: str) -> int | None:
    summary = inputs.summaries.get(name)
    return summary.distinct if summary is not None and summary.low is None else None


def _find_signs(inputs: DataInputs, measured: Measured, name: str) -> Signs:
    return Signs(
        role=inputs.role(name),
        findings=[f for f in inputs.findings.findings if f.column == name],
        missing=inputs.missing(name),
        rows=inputs.rows,
        distinct=_count_up_to_two(inputs.summaries.get(name)),
        drift=measured.drift.get(name),
        skew=measured.skew.get(name, {}),
        with_label=measured.with_label.get(name),
        tolerated_rise=inputs.rules.validation.missing_values_rise,
    )


def _count_up_to_two(summary: ColumnSummary | None) -> int | None:
    if summary is None or not summary.present:
        return None
    if summary.low is None or summary.high is None:
        return summary.distinct
    same = summary.low == summary.high or math.isnan(summary.low)
    return 1 if same else 2
