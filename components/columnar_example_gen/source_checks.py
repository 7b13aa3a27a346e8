"""Checks the source files in a tenth of a second, before TensorFlow is imported."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from components.tables.fingerprint import resolve_paths
from components.tables.readers import read_headers
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import ConfigError

_DELIMITERS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "vertical bars"}


def check_source(data: DataConfig, label: LabelConfig, feature_names: Collection[str]) -> list[str]:
    """Checks the headers of the files, and returns the names of their columns.

    A missing feature is no error here as long as another feature exists: in a later run it is a
    finding of the anomaly gate, not a mistake in the configuration. TFRecord files only have to
    exist, and BigQuery is not checked; both return no names.

    Raises:
      ConfigError: there is no file or an unreadable file; the table lacks label.column,
        label.weight_column or data.split.column; or it has none of the features.
      DataError: a header is missing, names a column twice, or differs between files; or a column
        that the configuration names holds lists or other values that are not single.
    """
    if data.source == "bigquery":
        return []
    paths, _ = resolve_paths(data)
    if data.source == "tfrecord":
        return []
    header = read_headers(paths, data)
    header.refuse_unreadable([*_named_columns(data, label), *feature_names, *data.types])
    columns = header.find_common_columns()
    check_columns(columns, data, label)
    if feature_names and not set(feature_names).intersection(columns):
        first = min(feature_names)
        raise ConfigError(
            f"features: no feature is a column of {paths[0]}", _suggest_column(first, columns)
        )
    return columns


def check_columns(columns: Sequence[str], data: DataConfig, label: LabelConfig) -> None:
    """Raises ConfigError unless all columns that keys other than `features` name exist."""
    for column, key in _named_columns(data, label).items():
        if column not in columns:
            hint = _suggest_delimiter(column, columns, data) or _suggest_column(column, columns)
            raise ConfigError(f"{key}: the table has no column '{column}'", hint)


def _named_columns(data: DataConfig, label: LabelConfig) -> dict[str, str]:
    """Returns the columns that keys other than `features` name, each with its key."""
    keys = {
        "label.column": label.column,
        "label.weight_column": label.weight_column,
        "data.split.column": data.split.column,
    }
    return {column: key for key, column in keys.items() if column is not None}


def find_nearest_column(name: str, columns: Sequence[str]) -> str | None:
    """Returns the column that `name` most probably misspells, or None.

    A name is similar enough if difflib's ratio is at least 0.5: about half of the characters match.
    """
    folded = {column.casefold().strip(): column for column in reversed(columns)}
    near = difflib.get_close_matches(name.casefold().strip(), folded, n=1, cutoff=0.5)
    return folded[near[0]] if near else None


def _suggest_delimiter(name: str, columns: Sequence[str], data: DataConfig) -> str | None:
    """Returns a hint if the header has the column `name` when split at another delimiter."""
    header = data.csv.delimiter.join(columns)
    for other, word in _DELIMITERS.items():
        cells = [cell.strip().strip(data.csv.quote) for cell in header.split(other)]
        if data.source == "csv" and other != data.csv.delimiter and name in cells:
            return f"the file seems to be separated by {word}: set data.csv.delimiter to {other!r}"
    return None


def _suggest_column(name: str, columns: Sequence[str]) -> str:
    if len(columns) == 1:
        return f"its only column is '{columns[0]}': is data.csv.delimiter right?"
    if near := find_nearest_column(name, columns):
        return f"did you mean '{near}'?"
    return f"its columns are {', '.join(columns)}"
