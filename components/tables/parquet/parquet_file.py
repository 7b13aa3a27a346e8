"""Reads one Parquet file as Arrow batches with the types that the file stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from components.tables.file_block import FileBlock
from components.tables.parquet.parquet_batches import iter_bounded_batches, open_parquet
from components.tables.sources.row_groups import RowGroups, TableSource, file_of
from components.tables.sources.table_path import TablePath
from pipeline.config.limits import DEFAULT_LIMITS, LimitsConfig
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.stores.errors import changed_error
from pipeline.core.zones import check_zone

if int(pa.__version__.partition(".")[0]) < 15:
    # This Arrow unpickles column types from the file, which can run code from the file.
    import pyarrow_hotfix  # noqa: F401

_ARE_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)


def read_parquet_names(path: TablePath) -> tuple[str, ...]:
    """Returns the column names of the file, with `column_<position>` for an empty name.

    Raises:
      ConfigError: the file cannot be opened.
      DataError: the file is not Parquet, has no columns, or names a column twice.
    """
    return tuple(read_parquet_types(path))


def read_parquet_types(path: TablePath) -> dict[str, pa.DataType]:
    """Returns the type of each column, of a dictionary that of its values.

    Raises:
      ConfigError: see `read_parquet_names`.
      DataError: see `read_parquet_names`.
    """
    schema = _open(path).schema_arrow
    return dict(
        zip(_name_columns(path, schema), map(_without_dictionary, schema.types), strict=True)
    )


def read_group_rows(path: TablePath) -> list[int]:
    """Returns the number of rows of each row group.

    Raises:
      ConfigError: see `read_parquet_names`.
      DataError: see `read_parquet_names`.
    """
    return _list_group_rows(_open(path).metadata)


def _name_columns(path: TablePath, schema: pa.Schema) -> tuple[str, ...]:
    names = tuple(n if n.strip() else f"column_{i}" for i, n in enumerate(schema.names, start=1))
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise DataError(f"{path}: two columns are named '{twice[0]}'")
    if not names:
        raise DataError(f"{path}: the file has no columns")
    return names


def find_unreadable(types: Mapping[str, pa.DataType]) -> dict[str, str]:
    """Returns the type, as text, of each column whose cells are not single values."""
    return {name: str(kind) for name, kind in types.items() if _is_unreadable(kind)}


def find_zones(path: TablePath) -> dict[str, str]:
    """Returns the time zone of each column of times that has one, by column."""
    return {
        name: kind.tz
        for name, kind in read_parquet_types(path).items()
        if pa.types.is_timestamp(kind) and kind.tz is not None
    }


def unreadable_error(path: TablePath, column: str, kind: str) -> DataError:
    """Returns the error of a column that the configuration names and nothing can read."""
    return DataError(
        f"{path}: column '{column}' is of type {kind}",
        "a cell must hold one number, text, boolean, date or time; "
        "change the column, or leave it out of the configuration",
    )


def _refuse_unknown_zone(path: TablePath, column: str, kind: pa.DataType) -> None:
    if not pa.types.is_timestamp(kind) or kind.tz is None:
        return
    try:
        check_zone(kind.tz)
    except ValueError as error:
        raise DataError(
            f"{path}: column '{column}' holds times with a time zone: {error}",
            "store the times in UTC, or leave the column out of the file",
        ) from None


def iter_parquet_file(
    source: TableSource,
    columns: Sequence[str],
    limits: LimitsConfig = DEFAULT_LIMITS,
    from_row: int = 0,
) -> Iterator[FileBlock]:
    """Yields the rows in blocks of 32,768, with `columns` in their order and with stored types.

    Dictionaries are decoded, and bytes become utf8. Blocks of long rows have fewer rows. The row
    groups before the group of row `from_row` are left out.

    Raises:
      DataError: the file is damaged, one of `columns` is nested or has an unknown time zone, bytes
        are not valid utf-8, the file exceeds `limits`, or it was changed since the table was
        planned.
    """
    path = file_of(source)
    file = _open(path)
    stored = file.schema_arrow
    names = _name_columns(path, stored)
    position_of = {name: position for position, name in enumerate(names)}
    if not position_of.keys() >= {*columns}:
        raise changed_error(path)
    positions = [position_of[column] for column in columns]
    for position in positions:
        kind = _without_dictionary(stored.types[position])
        if _is_unreadable(kind):
            raise unreadable_error(path, names[position], str(kind))
        _refuse_unknown_zone(path, names[position], kind)
    try:
        groups, first_row = _choose_groups(source, file.metadata, from_row)
        batches = iter_bounded_batches(path, [stored.names[p] for p in positions], limits, groups)
        for batch in batches:
            # Arrow returns the columns in the order of the file, not in the requested order.
            read = dict(zip(batch.schema.names, batch.columns, strict=True))
            arrays = [_decoded(path, names[p], read[stored.names[p]]) for p in positions]
            yield FileBlock(path, first_row, pa.RecordBatch.from_arrays(arrays, list(columns)))
            first_row += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None


def _choose_groups(
    source: TableSource, metadata: pq.FileMetaData, from_row: int
) -> tuple[range, int]:
    """Returns the row groups to read, and the index of their first row in the file."""
    starts = [0, *accumulate(_list_group_rows(metadata))]
    groups = range(metadata.num_row_groups)
    if isinstance(source, RowGroups):
        if source.after > len(groups):
            raise changed_error(source.path)
        groups = range(source.first, source.after)
    while groups and starts[groups.start + 1] <= from_row:
        groups = groups[1:]
    return groups, starts[groups.start]


def _list_group_rows(metadata: pq.FileMetaData) -> list[int]:
    return [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]


def _open(path: TablePath) -> pq.ParquetFile:
    try:
        file = open_parquet(path)
        if any(_is_pickled(kind) for kind in file.schema_arrow.types):
            raise _pickled(path)
        return file
    except RuntimeError as error:
        if "arrow.py_extension_type" in str(error):
            raise _pickled(path) from None
        raise
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None


def _is_pickled(kind: pa.DataType) -> bool:
    """Whether the type is pickled Python, which newer Arrow neither unpickles nor refuses."""
    return getattr(kind, "extension_name", "") == "arrow.py_extension_type"


def _pickled(path: TablePath) -> DataError:
    return DataError(
        f"{path}: the type of a column is pickled Python, which could run any code and is not read",
        "write the file again with plain columns only",
    )


def _damaged(path: TablePath, error: Exception) -> ConfigError | DataError:
    if isinstance(error, OSError) and error.errno is not None:
        return ConfigError(f"data.path: {path} cannot be read: {error.strerror}")
    cause = str(error).splitlines()[0]
    return DataError(f"{path}: not a Parquet file, or a damaged one: {cause}")


def _decoded(path: TablePath, column: str, array: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not any(is_bytes(array.type) for is_bytes in _ARE_BYTES):
        return array
    try:
        return pc.cast(pc.cast(array, pa.binary()), pa.string())
    except pa.ArrowInvalid:
        raise DataError(
            f"{path}: column '{column}' holds bytes that are not valid utf-8",
            "leave it out of the file, or store it as text",
        ) from None


def _without_dictionary(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_unreadable(kind: pa.DataType) -> bool:
    unreadable = pa.types.is_nested, pa.types.is_duration, pa.types.is_float16
    return any(is_one(kind) for is_one in unreadable)
