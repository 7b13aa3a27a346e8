"""Decides what divides the rows into train, eval and test: chance, a key, or time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pipeline.core.date_formats import DATE_FORMATS
from pipeline.core.errors import ConfigError
from pipeline.onboarding.choosing.keys import describe_key, find_split_key
from pipeline.onboarding.judging.timestamps import guess_timestamp
from pipeline.onboarding.overrides import Overrides
from pipeline.onboarding.reading.arrays import Floats
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.reading.times import read_times


@dataclass(frozen=True)
class Division:
    """What divides the rows."""

    by: Literal["row", "key", "time"]
    column: str | None = None
    why: str = ""
    """Why the rows are divided by `column`."""
    is_stated: bool = False
    """Whether the user named the column."""
    times: Floats | None = None
    """float64 [sampled rows]: the order of the rows, for a split by time."""

    @property
    def key(self) -> str | None:
        """The column whose values each lie in one split, if any."""
        return self.column if self.by == "key" else None

    @property
    def summary(self) -> str:
        """What the terminal says about a division that is not by row; empty for one by row."""
        if self.by == "key":
            other = "" if self.is_stated else f" ({self.why}); `--key-column` names another"
            return f"all rows with the same '{self.column}' are in one split{other}"
        if self.by == "time":
            return f"the latest rows by '{self.column}' are the test split"
        return ""


def choose_division(
    columns: Mapping[str, Column], label_column: str, overrides: Overrides
) -> Division:
    """Returns the division that the user states, or else the one that the values suggest.

    Raises:
      ConfigError: the stated column cannot divide the rows.
    """
    if overrides.time_column is not None:
        return _divide_by_time(columns[overrides.time_column])
    if overrides.key_column is not None:
        return _divide_by_key(columns[overrides.key_column])
    key = find_split_key(columns, label_column)
    return Division("key", key.value, key.why) if key else Division("row")


def _divide_by_time(column: Column) -> Division:
    guess = guess_timestamp(column)
    # The pipeline splits by the format of the column's feature.
    known = [name for name in DATE_FORMATS if guess and guess.value.format == name]
    times = read_times(column, next(iter(known), None))
    if times is None:
        raise ConfigError(
            f"--time-column {column.name}: the column does not order the rows",
            "it needs three different numbers or dates, all of one form: 2026-11-20T14:40:00, "
            "11/20/2026 02:40:00 PM or 20.11.2026 14:40",
        )
    return Division("time", column.name, "named by --time-column", is_stated=True, times=times)


def _divide_by_key(column: Column) -> Division:
    if column.distinct < 3:
        raise ConfigError(
            f"--key-column {column.name}: has {column.distinct} different values",
            "train, eval and test need at least one key each: name another column",
        )
    return Division("key", column.name, f"{describe_key(column)}, by --key-column", is_stated=True)
