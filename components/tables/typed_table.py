"""Reads files as one table in which each column has one type, from the first block to the last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import find_first_infinite
from components.tables.casting import (
    BadCellError,
    cast_to_configured,
    cast_to_inferred,
    cast_whole_numbers,
    find_largest_whole,
    find_narrowest_type,
)
from components.tables.file_block import FileBlock
from components.tables.readers import describe_place, iter_blocks
from components.tables.sources.table_path import TablePath
from pipeline.config import ColumnType, CsvConfig, DataConfig
from pipeline.core.errors import DataError

InferredType = Literal["int", "float", "string", "whole", "small"]
"""A ColumnType, or one of two for whole numbers of which some have a decimal point.

`whole` is read as int64: float32 would round some of the numbers, and merge different identifiers.
`small` is read as float32, which holds all numbers so far exactly. pandas writes whole numbers with
a decimal point wherever a column has gaps.
"""
_READ_AS: Mapping[InferredType, ColumnType] = {
    "int": "int", "float": "float", "string": "string", "whole": "int", "small": "float",
}  # fmt: skip
_LARGEST_EXACT = 2**24
"""float32 holds every whole number up to this one."""


class ContradictedTypeError(Exception):
    """A later cell needs a wider type than the type inferred from the first block."""


@dataclass(frozen=True)
class TypedTable:
    """A table in files, which can be read any number of times with the same types."""

    paths: Sequence[TablePath]
    data: DataConfig
    configured: Mapping[str, ColumnType]
    """The types that the configuration sets."""
    inferred: Mapping[str, InferredType]
    """The types of all other columns."""

    @property
    def types(self) -> dict[str, ColumnType]:
        return {**self.configured, **{n: _READ_AS[kind] for n, kind in self.inferred.items()}}

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
            return _cast_to_guess(array, self.inferred[name], _csv_settings(self.data))
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


def _cast_to_guess(array: pa.Array, guess: InferredType, csv: CsvConfig | None) -> pa.Array:
    if guess == "whole":
        return cast_whole_numbers(array, csv)
    numbers = cast_to_inferred(array, _READ_AS[guess], csv)
    if guess == "small":
        # float32 rounds the first number beyond to the largest exact one.
        beyond = pc.greater_equal(pc.abs(numbers), pa.scalar(_LARGEST_EXACT, pa.float32()))
        if pc.any(beyond).as_py():
            row = pc.index(beyond, True).as_py()
            raise BadCellError(row, array[row].as_py())
    return numbers


def guess_types(
    first: FileBlock, data: DataConfig, columns: Sequence[str]
) -> dict[str, InferredType]:
    """Returns the narrowest types that hold the first block of the table.

    Most tables never need wider types, so most tables are read once. Where a later block needs a
    wider type, `TypedTable.blocks` raises ContradictedTypeError.
    """
    return _infer_narrowest([first], data, columns)


def infer_types(
    paths: Sequence[TablePath], data: DataConfig, columns: Sequence[str]
) -> dict[str, InferredType]:
    """Reads all files and returns the narrowest types that hold all values of `columns`.

    The type of a column without any value is int.
    """
    types = _infer_narrowest(iter_blocks(paths, data, columns) if columns else [], data, columns)
    return {name: "float" if kind == "small" else kind for name, kind in types.items()}


def _infer_narrowest(
    blocks: Iterable[FileBlock], data: DataConfig, columns: Sequence[str]
) -> dict[str, InferredType]:
    csv = _csv_settings(data)
    types: dict[str, ColumnType] = dict.fromkeys(columns, "int")
    largest: dict[str, int | None] = dict.fromkeys(columns, 0)
    for block in blocks:
        for name in columns:
            array = block.batch.column(block.batch.schema.get_field_index(name))
            types[name] = find_narrowest_type(array, csv, at_least=types[name])
            so_far = largest[name]
            if so_far is not None and types[name] != "string":
                found = find_largest_whole(array, csv)
                largest[name] = None if found is None else max(so_far, found)
    return {name: _describe_type(types[name], largest[name]) for name in columns}


def _describe_type(narrowest: ColumnType, largest: int | None) -> InferredType:
    """Returns the type of a column whose whole numbers have this largest magnitude, if whole."""
    if narrowest != "float" or largest is None:
        return narrowest
    return "whole" if largest > _LARGEST_EXACT else "small"


def _csv_settings(data: DataConfig) -> CsvConfig | None:
    return data.csv if data.source == "csv" else None
