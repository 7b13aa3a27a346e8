"""Rows of the evaluated split as a client of the model server writes them in JSON."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from components.predictions.examples import read_examples
from components.predictions.table import read_predictions
from components.serving_check.bare_model import Array
from components.statistics_view.reference import read_schema
from pipeline.core.contracts import Output

Row = Mapping[str, Any]
"""JSON values by column; None for a missing value."""

_MOST_ROWS = 500
_MOST_CELLS = 100_000
"""A table of 200 columns and more gives fewer rows: its requests would take seconds to make."""


@dataclass(frozen=True)
class Sample:
    """Rows and what the Evaluator found that the candidate predicts for them."""

    rows: Sequence[Row]
    predictions: Array
    """float32 [rows] or [rows, classes]."""
    output: str
    """The output of the model that has the predictions."""


def read_sample(examples: Any, predictions: str, schema: str, columns: Sequence[str]) -> Sample:
    """Returns rows that are drawn from the evaluated split; equal inputs give equal rows.

    Args:
      examples: the Examples artifact.
      predictions: the directory of the PredictionTable artifact.
      schema: the directory of the curated Schema artifact.
      columns: the columns that the model takes.
    """
    at_most = max(1, min(_MOST_ROWS, _MOST_CELLS // max(len(columns), 1)))
    table = read_predictions(predictions, at_most=at_most)
    cells = read_examples(examples, table.split, read_schema(schema), columns, table.rows)
    return Sample(to_json_rows(cells), table.candidate, Output.BY_TASK[table.task])


def to_json_rows(cells: pa.Table) -> list[Row]:
    """Returns the rows of a table of numbers and UTF-8 bytes."""
    return [{name: _to_json(v) for name, v in row.items()} for row in cells.to_pylist()]


def _to_json(value: Any) -> Any:
    if not isinstance(value, bytes):
        # NaN is the only value that differs from itself.
        return None if value != value else value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(value).decode()}
