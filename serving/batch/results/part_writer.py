"""Writes the predictions of a part as Parquet or CSV, atomically."""

from __future__ import annotations

import contextlib
import os
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv as pa_csv

from components.tables.parquet.stored_types import cast_to_text
from serving.batch.results.output_files import OutputFiles, Sink
from serving.batch.task import Format

_GROUP_ROWS = 1 << 17
"""Rows of a row group: enough for good compression, few enough to hold in memory."""


class PartWriter:
    """Writes tables to a file that gets its name when all tables are written."""

    def __init__(self, files: OutputFiles, name: str, form: Format, schema: pa.Schema) -> None:
        """Begins the file `name` of an output; `schema` is that of the tables."""
        self._stage = files.stage(name)
        self._sink = self._stage.__enter__()
        self._form = form
        self._waiting: list[pa.Table] = []
        self._waiting_rows = 0
        self.rows = 0
        self.bytes = 0
        """The size of the file, when it is written."""
        if form == "csv":
            self._writer = pa_csv.CSVWriter(self._sink, _text_schema(schema))
        else:
            self._writer = pq.ParquetWriter(self._sink, schema)

    def __enter__(self) -> PartWriter:
        return self

    def write(self, table: pa.Table) -> None:
        """Adds rows."""
        self.rows += table.num_rows
        self._waiting.append(_to_text(table) if self._form == "csv" else table)
        self._waiting_rows += table.num_rows
        if self._waiting_rows >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._waiting_rows:
            self._writer.write_table(pa.concat_tables(self._waiting).combine_chunks())
        self._waiting, self._waiting_rows = [], 0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Gives the file its name, or removes the file after an error."""
        try:
            with contextlib.closing(self._writer):
                if error is None:
                    self._flush()
            self.bytes = _measure(self._sink)
        except BaseException as failure:
            self._stage.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._stage.__exit__(kind, error, trace)


def _measure(sink: Sink) -> int:
    return os.path.getsize(sink) if isinstance(sink, str) else sink.seek(0, os.SEEK_END)


def _text_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([(f.name, f.type if _is_plain(f.type) else pa.string()) for f in schema])


def _to_text(table: pa.Table) -> pa.Table:
    """Returns the table with dates, times and decimals as the text that a CSV file has for them."""
    schema = _text_schema(table.schema)
    columns = [
        column if column.type == field.type else _cast_chunks(column)
        for column, field in zip(table.columns, schema, strict=True)
    ]
    return pa.table(columns, schema)


def _cast_chunks(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array(map(cast_to_text, column.chunks), pa.string())


def _is_plain(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_boolean)
    return any(is_one(kind) for is_one in tests)
