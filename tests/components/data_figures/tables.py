"""Figures of a small table, from real statistics."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from deliveries import config, curated, gate_rules, splits

from components.data_figures.figures import ColumnFigures, DataFigures
from components.data_figures.make import make_data_figures
from components.data_figures.samples import DataInputs
from components.findings.findings import Findings
from components.statistics_view.reference import Reference
from pipeline.core.events import Finding


def make_inputs(
    now: pd.DataFrame,
    before: pd.DataFrame | None = None,
    findings: Sequence[Finding] = (),
    **sections: Any,
) -> DataInputs:
    """Returns the inputs; 80 % of the rows are split train. `before` is the served model's data."""
    settings = config(**sections)
    statistics = splits(now, settings)
    reference = None
    if before is not None:
        known = splits(before, settings)
        reference = Reference("7", curated(known, None, settings), known)
    schema = curated(statistics, reference, settings)
    rules = gate_rules(settings)
    return DataInputs(
        statistics, schema, reference, Findings("", tuple(findings)), rules, settings.label
    )


def make_figures(now: pd.DataFrame, *arguments: Any, **sections: Any) -> DataFigures:
    """Returns the figures of a table; see `make_inputs`."""
    inputs = make_inputs(now, *arguments, **sections)

    return make_data_figures(inputs, functools.partial(read_rows, now))


def read_rows(data: pd.DataFrame, split: str, columns: Sequence[str], rows: Any) -> pa.Table:
    """Returns the cells as `read_examples` does: text, int64 and float32, null where missing."""
    ends = [0, len(data) * 8 // 10, len(data) * 9 // 10, len(data)]
    place = ("train", "eval", "test").index(split)
    part = data[ends[place] : ends[place + 1]][list(columns)]
    part = part if rows is None else part.iloc[rows]
    floats = dict.fromkeys(part.select_dtypes("float"), "float32")
    return pa.Table.from_pandas(part.astype(floats), preserve_index=False)


def column(figures: DataFigures, name: str) -> ColumnFigures:
    (found,) = (column for column in figures.columns if column.name == name)
    return found
