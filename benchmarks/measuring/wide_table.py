"""Generates a table of many rows and of columns of every kind, for the time that `init` takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

ROWS, COLUMNS = 100_000, 30
LABEL = "churned"
_WORDS = np.array("late broken slow kind fast cheap wrong fine missing good bad old".split())
_SITES = np.array("north south east west".split())
_DAY = 86_400


def write_wide_table(path: Path) -> None:
    """Writes the table as CSV; the same bytes in every call."""
    make_wide_table().to_csv(path, index=False)


def make_wide_table() -> pd.DataFrame:
    """Returns customers with numbers, amounts, codes, names, times, keys and a text."""
    generator = np.random.default_rng(0)
    numbers = generator.normal(size=(ROWS, 10))
    columns: dict[str, npt.NDArray[np.generic]] = {
        f"measure {index}": _leave_gaps(values.round(3), generator, 0.02 * index)
        for index, values in enumerate(numbers.T)
    }
    for index in range(5):
        columns[f"amount {index}"] = np.exp(generator.normal(3, 1 + index / 2, ROWS)).round(2)
    for index, most in enumerate((2, 5, 9, 40, 400)):
        columns[f"count {index}"] = generator.integers(most + 1, size=ROWS)
    columns["site"] = generator.choice(_SITES, ROWS)
    for name, kinds in (("town", 300), ("product", 5_000)):
        columns[name] = np.char.add(
            f"{name} ", generator.zipf(1.3, ROWS).clip(1, kinds).astype(str)
        )
    columns["postal code"] = np.char.zfill(generator.integers(99_999, size=ROWS).astype(str), 5)
    columns["customer"] = np.char.add("c", generator.integers(ROWS // 3, size=ROWS).astype(str))
    columns["order"] = np.arange(ROWS)
    columns["ordered at"] = _make_times(generator)
    columns["delivered at"] = _make_times(generator)
    words = generator.choice(_WORDS, size=(ROWS, 12))
    columns["remark"] = np.array([" ".join(row) for row in words])
    score = numbers[:, 0] + (columns["site"] == "north") + (words == "broken").sum(axis=1)
    columns[LABEL] = np.where(score + generator.logistic(size=ROWS) > 2, "yes", "no")
    return pd.DataFrame(columns)


def _leave_gaps(
    values: npt.NDArray[np.float64], generator: np.random.Generator, share: float
) -> npt.NDArray[np.float64]:
    return np.where(generator.uniform(size=len(values)) < share, np.nan, values)


def _make_times(generator: np.random.Generator) -> npt.NDArray[np.generic]:
    seconds = generator.integers(3 * 365 * _DAY, size=ROWS)
    times: npt.NDArray[np.generic] = np.datetime64("2023-01-01T00:00:00") + seconds
    return times.astype(str)
