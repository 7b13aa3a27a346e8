"""Adds to findings what a person asks next: since when, and which rows."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from components.anomaly_gate.gate_inputs import GateInputs, ReadColumn
from components.anomaly_gate.locating.affected import Affected, find_affected
from components.anomaly_gate.locating.moments import find_start, read_moments
from components.anomaly_gate.locating.place_settings import PlaceSettings
from components.findings.findings import Findings
from components.predictions.terms import Array
from pipeline.core.events import Finding
from pipeline.core.text import shorten

_MOST_ROWS = 20_000_000
"""Of a larger table, a column takes more than 100 MB: its findings have no places."""
_MOST_COLUMNS = 30
_MOST_EXAMPLES = 5
_MOST_KEYS = 5
"""Columns that are tried as a key."""
_LONGEST = 60


@dataclass(frozen=True)
class Table:
    """The rows of all splits, one after another, read a column at a time."""

    inputs: GateInputs
    settings: PlaceSettings
    read_column: ReadColumn

    @property
    def counts(self) -> dict[str, int]:
        """The rows of each split."""
        return {name: int(split.num_examples) for name, split in self.inputs.statistics.items()}

    def column(self, name: str) -> pa.ChunkedArray:
        """Returns the cells of all splits, train first."""
        parts = [self.read_column(split, name) for split, rows in self.counts.items() if rows]
        return pa.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type)

    @cached_property
    def moments(self) -> Array | None:
        """When each row happened, microseconds since 1970, [n]; None without a time column."""
        name = self.settings.time
        if name is None or name not in self.inputs.columns:
            return None
        return read_moments(self.column(name), self.settings.time_format)

    @cached_property
    def key(self) -> tuple[str, pa.ChunkedArray] | None:
        """The column that tells the rows apart, or None."""
        for name in self._list_keys():
            cells = self.column(name)
            if name == self.settings.key or len(cells.unique()) == len(cells):
                return name, cells
        return None

    def _list_keys(self) -> Iterator[str]:
        """Yields the columns that may be a key: the configured one, then those that fit."""
        if self.settings.key in self.inputs.columns:
            yield str(self.settings.key)
            return
        rules = self.inputs.rules
        columns = self.inputs.columns.values()
        fitting = (
            column.name
            for column in columns
            if column.type in (schema_pb2.BYTES, schema_pb2.INT)
            and not column.missing
            and column.values_per_row <= 1
            and rules.kinds.get(column.name, "hashed") == "hashed"
            and column.name not in (rules.label_column, self.settings.time)
            and (column.type == schema_pb2.INT or column.distinct >= min(column.rows, 1000))
        )
        yield from (name for name, _ in zip(fitting, range(_MOST_KEYS), strict=False))

    def describe_rows(self, rows: Sequence[int]) -> Iterator[str]:
        """Yields how a person finds each row: its key, or its split and number."""
        for row in rows:
            if self.key is not None:
                name, cells = self.key
                yield f"{name} {_write(cells[row])}"
            else:
                yield self._number(row)

    def _number(self, row: int) -> str:
        for split, count in self.counts.items():
            if row < count:
                return f"row {row:,} of split {split}"
            row -= count
        raise IndexError("the table has fewer rows")


def locate_findings(findings: Findings, table: Table) -> Findings:
    """Returns the findings with the time of the first affected row, and examples of rows.

    A finding whose rows cannot be read stays as it is: the log says why.
    """
    if sum(table.counts.values()) > _MOST_ROWS:
        return findings
    found = findings.findings
    located = [_try_to_locate(finding, table) for finding in found[:_MOST_COLUMNS]]
    return replace(findings, findings=(*located, *found[_MOST_COLUMNS:]))


def _try_to_locate(finding: Finding, table: Table) -> Finding:
    try:
        return _locate(finding, table)
    except Exception:
        logging.exception("The rows of the finding about %r cannot be read", finding.column)
        return finding


def _locate(finding: Finding, table: Table) -> Finding:
    column = finding.column
    summary = table.inputs.columns.get(column or "")
    if column is None or summary is None or summary.values_per_row > 1:
        return finding
    cells = table.column(column)
    affected = find_affected(finding.kind, column, cells, table.inputs)
    if affected is None:
        return finding
    since = ""
    if table.moments is not None and column != table.settings.time:
        since = find_start(table.moments, affected.rows, affected.usual)
    return replace(finding, since=since, rows=_pick_rows(affected, cells, table))


def _pick_rows(affected: Affected, cells: pa.ChunkedArray, table: Table) -> tuple[str, ...]:
    """Returns the first affected rows in time; none after drift, where no single row is wrong."""
    if not affected.are_wrong:
        return ()
    rows = np.flatnonzero(affected.rows)
    if table.moments is not None:
        rows = rows[np.argsort(table.moments[rows], kind="stable")]
    chosen = rows[:_MOST_EXAMPLES].tolist()
    values = [_write(cells[row]) for row in chosen]
    described = zip(table.describe_rows(chosen), values, strict=True)
    return tuple(f"{row}: {value}" if value else row for row, value in described)


def _write(cell: pa.Scalar) -> str:
    value = cell.as_py()
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{value:g}"
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return shorten(text, _LONGEST)
