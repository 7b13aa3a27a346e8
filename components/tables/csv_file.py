"""Reads one CSV file as Arrow batches of text.

Text, not numbers: Arrow fixes the types by the first block of a file, and `typed_table` needs types
that hold for all blocks of all files. Reading text costs no more than reading numbers: 0.5 s for a
million rows of 18 columns either way.
"""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as pa_csv

from components.tables import csv_diagnosis
from components.tables.arrays import text_buffers
from components.tables.compression import find_compression
from components.tables.csv_diagnosis import bounded_lines, open_text, translate_read_errors
from components.tables.file_block import FileBlock
from components.tables.file_kind import open_unpacked
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig
from pipeline.core.errors import DataError
from pipeline.core.stores.errors import changed_error

BLOCK_BYTES = 4 << 20
"""Bytes of a file that are read at once. A longer row is refused, see `data.limits.row_bytes`."""
# Blocks of a wide table are longer, so that the arrays of its columns do not become too short to be
# worth their cost: BLOCK_BYTES for each 32 columns, but at most four times, to bound the memory.
_COLUMNS_PER_BLOCK = 32
_MOST_BLOCKS_AT_ONCE = 4


@dataclass(frozen=True)
class Header:
    """The column names of a CSV file, from its first row that is not blank."""

    names: tuple[str, ...]
    """The cells of the header; `column_<position>` for an empty cell and without a header."""
    rows: int
    """Rows up to and including the header, blank rows before it included; 0 without a header."""
    has_data: bool
    """Whether the file goes on below the header."""


def read_header(path: TablePath, data: DataConfig) -> Header:
    """Reads the header of the file, and no more than its first lines.

    Raises:
      ConfigError: the file cannot be opened, or its encoding is unknown.
      DataError: the file is empty or undecodable, names a column twice, or begins with a line that
        is longer than a row may be.
    """
    with translate_read_errors(path, data), open_text(path, data) as file:
        header = _scan_header(bounded_lines(file, _longest_header(data)), data)
    if header is None:
        raise DataError(f"{path}: the file is empty", "its first row must name the columns")
    if not header.has_data and "\n" in header.names[-1]:
        csv_diagnosis.refuse_unclosed_quote(path, data)
    twice = sorted(name for name, count in Counter(header.names).items() if count > 1)
    if twice:
        positions = [str(i + 1) for i, name in enumerate(header.names) if name == twice[0]]
        raise DataError(
            f"{path}:{header.rows}: columns {' and '.join(positions)} are both named '{twice[0]}'",
            "every column needs a name of its own",
        )
    return header


def _scan_header(lines: Iterator[str], data: DataConfig) -> Header | None:
    rows = csv.reader(lines, delimiter=data.csv.delimiter, quotechar=data.csv.quote)
    for number, cells in enumerate(rows, start=1):
        if cells and not data.csv.header:
            return Header(tuple(f"column_{i}" for i, _ in enumerate(cells, start=1)), 0, True)
        if cells:
            names = tuple(c if c.strip() else f"column_{i}" for i, c in enumerate(cells, start=1))
            return Header(names, number, any(line.strip("\r\n") for line in lines))
    return None


def iter_csv_file(
    path: TablePath,
    data: DataConfig,
    columns: Sequence[str],
    skip_ragged: Callable[[], None] | None = None,
) -> Iterator[FileBlock]:
    """Yields the rows in blocks of 4 MB (up to 16 MB in wide tables), with `columns` as utf8.

    Blanks around a cell are removed. A cell that is one of `data.csv.missing`, quoted or not, is
    null.

    Args:
      skip_ragged: called for each row with another number of cells than the header, which is left
        out and not counted as a row; without it, such a row is an error.

    Raises:
      DataError: the file has a ragged row, an unclosed quote or undecodable text, and the message
        names the file and the line; or it was changed since its header was read.
    """
    header = read_header(path, data)
    if not header.has_data:
        return
    if not {*header.names} >= {*columns}:
        raise changed_error(path)
    first_row = 0
    ending: pa.RecordBatch | None = None
    try:
        for batch in _open(path, data, header, columns, skip_ragged):
            if _has_nul_byte(batch):
                csv_diagnosis.refuse_undecodable(path, data)
            yield FileBlock(path, first_row, _trim_blanks(batch, data))
            first_row += batch.num_rows
            ending = batch if batch.num_rows else ending
    except (pa.ArrowInvalid, UnicodeError, OSError) as error:
        raise csv_diagnosis.explain_read_error(path, data, error) from None
    if header.names[-1] in columns and _may_end_inside_quotes(ending, header.names[-1]):
        csv_diagnosis.refuse_unclosed_quote(path, data)


def _open(
    path: TablePath,
    data: DataConfig,
    header: Header,
    columns: Sequence[str],
    skip_ragged: Callable[[], None] | None,
) -> pa_csv.CSVStreamingReader:
    def skip(row: object) -> str:
        assert skip_ragged is not None
        skip_ragged()
        return "skip"

    is_utf8 = codecs.lookup(data.csv.encoding).name in ("utf-8", "utf-8-sig")
    return pa_csv.open_csv(
        _open_stream(path, data),
        pa_csv.ReadOptions(
            block_size=data.limits.row_bytes or _block_bytes(header),
            column_names=header.names,
            skip_rows_after_names=header.rows,
            encoding="utf8" if is_utf8 else data.csv.encoding,
        ),
        pa_csv.ParseOptions(
            delimiter=data.csv.delimiter,
            quote_char=data.csv.quote,
            newlines_in_values=True,
            invalid_row_handler=skip if skip_ragged else None,
        ),
        pa_csv.ConvertOptions(
            column_types={name: pa.string() for name in columns},
            include_columns=list(columns),
            null_values=list(data.csv.missing),
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _open_stream(path: TablePath, data: DataConfig) -> pa.NativeFile:
    # Not the path alone: Arrow would guess the compression by the name, and know no limit.
    if isinstance(path, Path) and not find_compression(path):
        return pa.OSFile(str(path))
    return pa.PythonFile(open_unpacked(path, data.limits), "r")


def _trim_blanks(batch: pa.RecordBatch, data: DataConfig) -> pa.RecordBatch:
    """Removes the blanks around cells, so that ` red` and `red` are the same category."""
    missing = pa.array(data.csv.missing, pa.string())
    arrays = []
    for array in batch.columns:
        if _has_outer_blanks(array):
            # Only ASCII blanks: this is three times as fast, and TensorFlow strips the same blanks
            # in a served model.
            array = pc.ascii_trim_whitespace(array)
            is_missing = pc.is_in(array, value_set=missing)
            array = pc.if_else(is_missing, pa.scalar(None, pa.string()), array)
        arrays.append(array)
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def _has_outer_blanks(text: pa.Array) -> bool:
    """Whether any cell begins or ends with a blank; if none does, trimming can be skipped."""
    offsets, content = text_buffers(text)
    if not content.size or content.min() > ord(" "):
        return False
    starts, ends = offsets[:-1], offsets[1:]
    filled = ends > starts
    outer = np.concatenate((starts[filled], ends[filled] - 1))
    return bool((content[outer] <= ord(" ")).any())


def _longest_header(data: DataConfig) -> int:
    return data.limits.row_bytes or BLOCK_BYTES * _MOST_BLOCKS_AT_ONCE


def _block_bytes(header: Header) -> int:
    return BLOCK_BYTES * min(max(len(header.names) // _COLUMNS_PER_BLOCK, 1), _MOST_BLOCKS_AT_ONCE)


def _has_nul_byte(batch: pa.RecordBatch) -> bool:
    # Arrow, Python's csv and TensorFlow read a NUL byte in different ways.
    return any(bool((text_buffers(column)[1] == 0).any()) for column in batch.columns)


def _may_end_inside_quotes(batch: pa.RecordBatch | None, column: str) -> bool:
    """Whether the last cell has a line break, and so may contain the rest of the file.

    Arrow silently closes an open quote at the end of the file.
    """
    if batch is None:
        return False
    cell = batch.column(batch.schema.get_field_index(column))[-1].as_py() or ""
    return "\n" in cell or "\r" in cell
