"""Reads the splits of a pipeline run as data frames for boosted trees.

The trees get exactly the columns that are features in the configuration. A column that `init`
leaves out reveals the label or is useless.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.artifacts import find_artifact
from benchmarks.measuring.workload import flat_batches
from pipeline.config import Config, Feature
from pipeline.core import contracts

Labels = npt.NDArray[Any]
"""Positions in `label.classes`, or numbers, [rows]."""

_NAMES = ("categorical", "hashed", "boolean")
"""The feature kinds that become categories."""
_PARTS = ("hour", "weekday", "day", "month", "year")
"""The parts of a timestamp that become columns."""
_TERMS = 1000
"""The terms of a text that become columns."""


@dataclass(frozen=True)
class Split:
    """The rows of one split."""

    features: pd.DataFrame
    """The columns of boosted trees."""
    labels: Labels
    raw: pd.DataFrame | None = None
    """The features with each text in one column, as it is; None without a text."""


def read_split(run: Path, split: str) -> pa.Table:
    """Returns the raw columns of a split of the pipeline run in `run`."""
    directory = find_artifact(run, "ExampleGen", "examples") / f"{contracts.Split.PREFIX}{split}"
    return pa.Table.from_batches(itertools.chain(flat_batches(sorted(directory.glob("*")))))


def read_splits(run: Path, config: Config) -> dict[str, Split]:
    """Returns the splits train, eval and test; all of them have the categories of train."""
    raw = {name: read_split(run, name) for name in contracts.Split.ALL}
    columns: dict[str, dict[str, Any]] = {name: {} for name in raw}
    others: dict[str, dict[str, Any]] = {name: {} for name in raw}
    for column, feature in config.features.items():
        cells = {name: table.column(column) for name, table in raw.items()}
        for name, converted in _convert_column(cells, column, feature).items():
            columns[name] |= converted
            is_text = feature.kind == "text"
            others[name] |= {column: _fill_texts(cells[name])} if is_text else converted
    return {
        name: Split(
            pd.DataFrame(columns[name]),
            read_labels(table, config),
            pd.DataFrame(others[name]) if has_texts(config) else None,
        )
        for name, table in raw.items()
    }


def has_texts(config: Config) -> bool:
    """Whether a feature is free text."""
    return any(feature.kind == "text" for feature in config.features.values())


def read_labels(table: pa.Table, config: Config) -> Labels:
    """Returns the labels of the table's rows."""
    cells = table.column(config.label.column)
    if config.label.task == "regression":
        return np.asarray(cells.to_numpy(), np.float64)
    positions = {name: index for index, name in enumerate(config.label.classes)}
    return np.array([positions[name] for name in cells.cast(pa.string()).to_pylist()])


def _convert_column(
    cells: dict[str, pa.ChunkedArray], column: str, feature: Feature
) -> dict[str, dict[str, Any]]:
    """Returns the trees' columns for one feature, by split and column name.

    An ordered code is a category and a number, as it is for this project's models.
    """
    if feature.kind in _NAMES:
        texts = {name: values.cast(pa.string()).to_pandas() for name, values in cells.items()}
        known = texts[contracts.Split.TRAIN].dropna().unique()
        found: dict[str, dict[str, Any]] = {
            n: {column: pd.Categorical(text, known)} for n, text in texts.items()
        }
        if getattr(feature, "ordered", False):
            for name, text in texts.items():
                found[name][f"{column} as number"] = _parse_numbers(text)
        return found
    if feature.kind == "timestamp":
        return {n: _split_dates(values.to_pandas(), column, feature) for n, values in cells.items()}
    if feature.kind == "text":
        return _weigh_terms({n: _fill_texts(values) for n, values in cells.items()}, column)
    return {n: {column: _parse_numbers(values.to_pandas())} for n, values in cells.items()}


def _fill_texts(cells: pa.ChunkedArray) -> pd.Series:
    return cells.to_pandas().fillna("")


def _weigh_terms(texts: dict[str, pd.Series], column: str) -> dict[str, dict[str, Any]]:
    """Returns TF-IDF weights of the most frequent terms of train, a column for each term."""
    vectorizer = TfidfVectorizer(max_features=_TERMS, sublinear_tf=True, dtype=np.float32)
    vectorizer.fit(texts[contracts.Split.TRAIN])
    names = [f"{column} {number}" for number in range(len(vectorizer.vocabulary_))]
    weights = {n: vectorizer.transform(text).toarray() for n, text in texts.items()}
    return {n: dict(zip(names, found.T, strict=True)) for n, found in weights.items()}


def _parse_numbers(cells: pd.Series) -> pd.Series:
    return pd.to_numeric(cells, errors="coerce").astype(np.float64)


def _split_dates(cells: pd.Series, column: str, feature: Any) -> dict[str, pd.Series]:
    """Returns the parts of a date that the network gets too, and the date as a number."""
    unit = {"epoch_seconds": "s", "epoch_milliseconds": "ms"}.get(feature.format)
    day_first = feature.format == "day_first"
    moments = pd.to_datetime(cells, unit=unit, dayfirst=day_first, errors="coerce", utc=True)
    parts = {f"{column} {part}": getattr(moments.dt, part) for part in _PARTS}
    return {**parts, column: moments.astype("int64").where(moments.notna())}
