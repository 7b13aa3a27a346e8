"""Reads files as one table in which each column has one type, from the first block to the last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from components.tables.arrays import find_first_infinite
from components.tables.casting import (
    BadCellError,
    cast_to_configured,
    cast_to_inferred,
    find_narrowest_type,
)
from components.tables.file_block import FileBlock
from components.tables.readers import describe_place, iter_blocks
from pipeline.config import ColumnType, CsvConfig, DataConfig
from pipeline.core.errors import DataError


class ContradictedTypeError(Exception):
    """A later cell needs a wider type than the type inferred from the first block."""


@dataclass(frozen=True)
class TypedTable:
    """A table in files, which can be read any number of times with the same types."""

    paths: Sequence[Path]
    data: DataConfig
    configured: Mapping[str, ColumnType]
    """The types that the configuration sets."""
    inferred: Mapping[str, ColumnType]
    """The types of all other columns."""

    @property
    def types(self) -> dict[str, ColumnType]:
        return {**self.configured, **self.inferred}

    def blocks(self, columns: Sequence[str] | None = None) -> Iterator[FileBlock]:
        """Yields the rows with `columns`, by default all sorted by name, as int64, float32 or utf8.

        Raises:
          DataError: a cell does not have the type that the configuration sets for its column.
          ContradictedTypeError: a cell does not have the type inferred for its column.
        """
        names = sorted(self.types) if columns is None else columns
        for block in iter_blocks(self.paths, self.data, names):
            arrays = [self._cast(block, name) for name in names]
            batch = pa.RecordBatch.from_arrays(arrays, list(names))
            yield FileBlock(block.path, block.first_row, batch)

    def _cast(self, block: FileBlock, name: str) -> pa.Array:
        array = block.batch.column(block.batch.schema.get_field_index(name))
        if name in self.configured:
            return self._cast_given(block, name, array)
        try:
            return cast_to_inferred(array, self.inferred[name], _csv_settings(self.data))
        except BadCellError:
            raise ContradictedTypeError(name) from None

    def _cast_given(self, block: FileBlock, name: str, array: pa.Array) -> pa.Array:
        wanted = self.configured[name]
        try:
            cast = cast_to_configured(array, wanted, _csv_settings(self.data))
        except BadCellError as bad:
            number = "an integer of 64 bits" if wanted == "int" else "a number"
            raise self._bad_cell_error(
                block, name, bad.row, bad.value, f"is not {number}"
            ) from None
        row = find_first_infinite(cast) if wanted == "float" else None
        if row is not None:
            fault = "is infinite, or larger than any float of 32 bits"
            raise self._bad_cell_error(block, name, row, array[row].as_py(), fault)
        return cast

    def _bad_cell_error(
        self, block: FileBlock, name: str, row: int, value: object, fault: str
    ) -> DataError:
        place = describe_place(block.path, block.first_row + row, self.data)
        as_missing = (
            "add it to data.csv.missing" if self.data.source == "csv" else "store it as null"
        )
        return DataError(
            f"{place}: column '{name}': {value!r} {fault}",
            f"correct it, {as_missing} if it stands for a missing value, "
            "or set another kind or type for the column",
        )


def guess_types(
    first: FileBlock, data: DataConfig, columns: Sequence[str]
) -> dict[str, ColumnType]:
    """Returns the narrowest types that hold the first block of the table.

    Most tables never need wider types, so most tables are read once. Where a later block needs a
    wider type, `TypedTable.blocks` raises ContradictedTypeError.
    """
    return _infer_narrowest([first], data, columns)


def infer_types(
    paths: Sequence[Path], data: DataConfig, columns: Sequence[str]
) -> dict[str, ColumnType]:
    """Reads all files and returns the narrowest types that hold all values of `columns`.

    The type of a column without any value is int.
    """
    return _infer_narrowest(iter_blocks(paths, data, columns) if columns else [], data, columns)


def _infer_narrowest(
    blocks: Iterable[FileBlock], data: DataConfig, columns: Sequence[str]
) -> dict[str, ColumnType]:
    types: dict[str, ColumnType] = dict.fromkeys(columns, "int")
    for block in blocks:
        for name in columns:
            array = block.batch.column(block.batch.schema.get_field_index(name))
            types[name] = find_narrowest_type(array, _csv_settings(data), at_least=types[name])
    return types


def _csv_settings(data: DataConfig) -> CsvConfig | None:
    return data.csv if data.source == "csv" else None
