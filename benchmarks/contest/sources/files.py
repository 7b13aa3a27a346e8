"""Reads files of the packages that `make bench-quality` unpacks but does not install."""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchmarks.measuring.process import ROOT

PACKAGES = ROOT / "build/tables"
"""The directory to which `make bench-quality` unpacks the packages."""
DATASETS = "statsmodels/datasets"


def read_csv(path: str, **options: Any) -> pd.DataFrame:
    """Returns a CSV file of a package; `path` begins with the package's name."""
    return pd.read_csv(PACKAGES / path, **options)


def keep_frequent(table: pd.DataFrame, column: str, rows: int) -> pd.DataFrame:
    """Returns the rows whose value of the column has at least so many rows."""
    counts = table[column].map(table[column].value_counts())
    return table[counts >= rows]


def yes_or_no(cells: pd.Series) -> pd.Series:
    """Returns the labels of two classes; `cells` is boolean."""
    return cells.map({False: "no", True: "yes"})
