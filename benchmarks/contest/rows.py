"""What boosted trees are given: the splits as the ExampleGen divided them, category by category.

They see the columns that the configuration makes features of, and no others: what `init` leaves out
gives the label away, or says nothing.
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

from benchmarks.artifacts import find_artifact
from benchmarks.workload import flat_batches
from pipeline.config import Config, Feature

Labels = npt.NDArray[Any]
"""Positions in label.classes, or numbers; [rows]."""

_NAMES = ("categorical", "hashed", "boolean")
_PARTS = ("hour", "weekday", "day", "month", "year")


@dataclass(frozen=True)
class Split:
    """Rows to learn from or to be judged on."""

    features: pd.DataFrame
    labels: Labels


def read_split(run: Path, split: str) -> pa.Table:
    """The raw columns of a split, as the run below `run` divided the table."""
    directory = find_artifact(run, "ExampleGen", "examples") / f"Split-{split}"
    return pa.Table.from_batches(itertools.chain(flat_batches(sorted(directory.glob("*")))))


def read_splits(run: Path, config: Config) -> dict[str, Split]:
    """train, eval and test; the categories are those of train."""
    raw = {name: read_split(run, name) for name in ("train", "eval", "test")}
    columns: dict[str, dict[str, Any]] = {name: {} for name in raw}
    for column, feature in config.features.items():
        cells = {name: table.column(column) for name, table in raw.items()}
        for name, made in _columns(cells, column, feature).items():
            columns[name] |= made
    return {
        name: Split(pd.DataFrame(columns[name]), labels_of(table, config))
        for name, table in raw.items()
    }


def labels_of(table: pa.Table, config: Config) -> Labels:
    """As the models' answers are held against."""
    cells = table.column(config.label.column)
    if config.label.task == "regression":
        return np.asarray(cells.to_numpy(), np.float64)
    positions = {name: index for index, name in enumerate(config.label.classes)}
    return np.array([positions[name] for name in cells.cast(pa.string()).to_pylist()])


def _columns(
    cells: dict[str, pa.ChunkedArray], column: str, feature: Feature
) -> dict[str, dict[str, Any]]:
    if feature.kind in _NAMES:
        texts = {name: values.cast(pa.string()).to_pandas() for name, values in cells.items()}
        known = texts["train"].dropna().unique()
        return {n: {column: pd.Categorical(text, known)} for n, text in texts.items()}
    if feature.kind == "timestamp":
        return {n: _parts(values.to_pandas(), column, feature) for n, values in cells.items()}
    if feature.kind == "text":
        raise ValueError(f"{column}: boosted trees are given no free text")
    return {n: {column: _numbers(values.to_pandas())} for n, values in cells.items()}


def _numbers(cells: pd.Series) -> pd.Series:
    return pd.to_numeric(cells, errors="coerce").astype(np.float64)


def _parts(cells: pd.Series, column: str, feature: Any) -> dict[str, pd.Series]:
    """The parts of a date that a network gets, and the date as a number, as it grows."""
    unit = {"epoch_seconds": "s", "epoch_milliseconds": "ms"}.get(feature.format)
    day_first = feature.format == "day_first"
    moments = pd.to_datetime(cells, unit=unit, dayfirst=day_first, errors="coerce", utc=True)
    parts = {f"{column} {part}": getattr(moments.dt, part) for part in _PARTS}
    return {**parts, column: moments.astype("int64").where(moments.notna())}
