"""Layout: which columns of a file are read, which are copied, and what the output is called."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from components.tables.parquet.parquet_file import unreadable_error
from components.tables.readers import read_header
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError, DataError
from serving.batch.task import ALL_COLUMNS, Task
from serving.rows.signature import DType


@dataclass(frozen=True)
class Layout:
    """The columns of one input file."""

    read: tuple[str, ...]
    """What is read: the model's inputs, copied columns, and the last column of the file."""
    copied: tuple[str, ...]
    """The columns of the input that the output has, the key first."""
    width: int
    """The number of columns in the file."""


def make_layout(
    path: TablePath,
    data: DataConfig,
    task: Task,
    types: Mapping[str, DType],
    outputs: Collection[str],
) -> Layout:
    """Reads the header of a file.

    Args:
      types: the columns that the model takes.
      outputs: the names of the model's outputs, with the prefix.

    Raises:
      ConfigError: the key or a column to copy is missing, or is called as an output is.
      DataError: the file cannot be read, or a column of the model is missing.
    """
    header = read_header(path, data)
    names, unreadable = header.names, header.unreadable
    copied = _choose_copied(path, names, task, unreadable)
    if missing := [name for name in types if name not in names]:
        raise DataError(
            f"{path}: the model takes a column '{missing[0]}', which the file lacks"
            + (f", and {len(missing) - 1} more" if len(missing) > 1 else ""),
            _suggest(missing[0], names),
        )
    for name in (*types, *copied):
        if name in unreadable:
            raise unreadable_error(path, name, unreadable[name])
    for name in copied:
        if name in outputs:
            raise ConfigError(
                f"{path}: the column '{name}' is called as an output of the model",
                "set --prefix for the outputs, or choose other --columns",
            )
    # An open quote can be seen in the last column alone; see `iter_csv_file`.
    last = names[-1:] if data.source == "csv" else ()
    return Layout(tuple(dict.fromkeys((*types, *copied, *last))), copied, len(names))


def _choose_copied(
    path: TablePath, names: Sequence[str], task: Task, unreadable: Collection[str]
) -> tuple[str, ...]:
    asked = [*filter(None, [task.key]), *task.columns]
    if ALL_COLUMNS in asked:
        asked += [name for name in names if name not in unreadable]
    for name in asked:
        if name not in names and name != ALL_COLUMNS:
            option = "--key" if name == task.key else "--columns"
            raise ConfigError(f"{option}: {path} has no column '{name}'", _suggest(name, names))
    return tuple(name for name in dict.fromkeys(asked) if name != ALL_COLUMNS)


def _suggest(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    if len(names) == 1:
        return f"its only column is '{names[0]}': is data.csv.delimiter right?"
    return f"its columns are {', '.join(names)}"
