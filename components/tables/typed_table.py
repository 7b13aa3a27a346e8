"""Reads files as one table in which each column has one type, from the first block to the last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import LARGEST_EXACT_IN_FLOAT32, find_first_infinite
from components.tables.casting import (
    COLUMN_TYPES,
    BadCellError,
    cast_to_configured,
    cast_to_inferred,
    cast_whole_numbers,
    find_largest_whole,
    find_narrowest_type,
)
from components.tables.file_block import FileBlock
from components.tables.readers import describe_place, iter_blocks
from components.tables.sources.row_groups import TableSource
from components.tables.splitting.exact_cells import find_exact_cells
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


class ContradictedTypeError(Exception):
    """A later cell needs a wider type than the type inferred from the first block."""


@dataclass(frozen=True)
class TypedTable:
    """A table, which can be read any number of times with the same types."""

    sources: Sequence[TableSource]
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
        for block in iter_blocks(self.sources, self.data, names):
            arrays = [self._cast(block, name) for name in names]
            batch = pa.RecordBatch.from_arrays(arrays, list(names))
            yield FileBlock(block.path, block.first_row, batch, self._find_exact(block, batch))

    def _find_exact(self, block: FileBlock, cast: pa.RecordBatch) -> dict[str, pa.Array]:
        csv, names = csv_settings(self.data), cast.schema.names
        stored = (block.batch.column(block.batch.schema.get_field_index(name)) for name in names)
        found = {
            name: find_exact_cells(cells, column, csv)
            for name, cells, column in zip(names, stored, cast.columns, strict=True)
        }
        return {name: cells for name, cells in found.items() if cells is not None}

    def _cast(self, block: FileBlock, name: str) -> pa.Array:
        array = block.batch.column(block.batch.schema.get_field_index(name))
        if name in self.configured:
            return self._cast_given(block, name, array)
        try:
            return _cast_to_guess(array, self.inferred[name], csv_settings(self.data))
        except BadCellError:
            raise ContradictedTypeError(name) from None

    def _cast_given(self, block: FileBlock, name: str, array: pa.Array) -> pa.Array:
        wanted = self.configured[name]
        try:
            cast = cast_to_configured(array, wanted, csv_settings(self.data))
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
        beyond = pc.greater_equal(
            pc.abs(numbers), pa.scalar(LARGEST_EXACT_IN_FLOAT32, pa.float32())
        )
        if pc.any(beyond).as_py():
            row = pc.index(beyond, True).as_py()
            raise BadCellError(row, array[row].as_py())
    return numbers


@dataclass
class TypeEvidence:
    """What the values of columns say about the columns' types; evidence of other files adds up."""

    narrowest: dict[str, ColumnType]
    """The narrowest type that holds all values so far."""
    largest: dict[str, int | None]
    """The largest magnitude so far; None once a value is not whole."""

    @classmethod
    def of_columns(cls, columns: Sequence[str]) -> TypeEvidence:
        """Returns the evidence of no rows: the narrowest type of a column without values is int."""
        return cls(dict.fromkeys(columns, "int"), dict.fromkeys(columns, 0))

    def add(self, block: FileBlock, data: DataConfig) -> None:
        """Adds the rows of a block."""
        csv = csv_settings(data)
        for name, so_far in self.narrowest.items():
            array = block.batch.column(block.batch.schema.get_field_index(name))
            kind = find_narrowest_type(array, csv, at_least=so_far)
            self.narrowest[name] = kind
            largest = self.largest[name]
            if largest is not None and kind != "string":
                found = find_largest_whole(array, csv)
                self.largest[name] = None if found is None else max(largest, found)

    def merge(self, other: TypeEvidence) -> TypeEvidence:
        """Returns the evidence of the rows of both, in whatever order."""
        widest = {
            name: max(kind, other.narrowest[name], key=COLUMN_TYPES.index)
            for name, kind in self.narrowest.items()
        }
        largest = {
            name: None if one is None or (two := other.largest[name]) is None else max(one, two)
            for name, one in self.largest.items()
        }
        return TypeEvidence(widest, largest)

    def guess(self) -> dict[str, InferredType]:
        """Returns the narrowest types, for a table of which more rows follow."""
        return {
            name: _describe_type(kind, self.largest[name]) for name, kind in self.narrowest.items()
        }

    def conclude(self) -> dict[str, InferredType]:
        """Returns the narrowest types of a table of which no rows follow."""
        return {name: "float" if kind == "small" else kind for name, kind in self.guess().items()}


def guess_types(
    first: FileBlock, data: DataConfig, columns: Sequence[str]
) -> dict[str, InferredType]:
    """Returns the narrowest types that hold the first block of the table.

    Most tables never need wider types, so most tables are read once. Where a later block needs a
    wider type, `TypedTable.blocks` raises ContradictedTypeError.
    """
    evidence = TypeEvidence.of_columns(columns)
    evidence.add(first, data)
    return evidence.guess()


def infer_types(
    sources: Sequence[TableSource], data: DataConfig, columns: Sequence[str]
) -> dict[str, InferredType]:
    """Reads all rows and returns the narrowest types that hold all values of `columns`.

    The type of a column without any value is int.
    """
    evidence = TypeEvidence.of_columns(columns)
    collect_evidence(sources, data, evidence)
    return evidence.conclude()


def collect_evidence(
    sources: Sequence[TableSource], data: DataConfig, evidence: TypeEvidence
) -> None:
    """Adds the rows to the evidence of columns."""
    columns = list(evidence.narrowest)
    for block in iter_blocks(sources, data, columns) if columns else ():
        evidence.add(block, data)


def _describe_type(narrowest: ColumnType, largest: int | None) -> InferredType:
    """Returns the type of a column whose whole numbers have this largest magnitude, if whole."""
    if narrowest != "float" or largest is None:
        return narrowest
    return "whole" if largest > LARGEST_EXACT_IN_FLOAT32 else "small"


def csv_settings(data: DataConfig) -> CsvConfig | None:
    """Returns how the cells of the table are read; None if its format is another than CSV."""
    return data.csv if data.source == "csv" else None
