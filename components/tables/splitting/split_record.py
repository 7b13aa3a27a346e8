"""SplitRecord: how the rows of a model were divided, so that later runs divide them alike.

A candidate is compared with the served model on its own test rows. A row that was in the training
split of the served model must not be among them. So a new column does not enter the hash of the
rows, and whatever does divide the rows anew is told to the user.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from components.tables.arrays import LARGEST_EXACT_IN_FLOAT32
from pipeline.config import CsvConfig, SplitConfig

_HASHING = 4
"""The version of the hash of a row. Version 1 told the text `1` from the number 1. Version 2 took
numbers as the type of their column has them: rounded to float32, or as text with `data.csv`'s
marks. Version 3 took booleans, times and blanks as the file has them."""
_CELLS_HASHED_ANEW = {
    1: "numbers in text",
    2: f"numbers above {LARGEST_EXACT_IN_FLOAT32:,}, or with a decimal comma, separators or units,",
    3: "booleans, times, empty texts and outer blanks",
}
"""What an earlier version of the hash took in another way."""
_KEYS = ("by", "column", "seed", "train", "eval", "test")
_KEYS_OF_TIMES = ("time_format", "time_zone")
"""The further keys that a split by time depends on."""
_KEYS_OF_CELLS = ("missing", "decimal", "thousands", "units", "delimiter", "quote", "encoding")
"""The keys of `data.csv` that decide what a cell is. `header` renames the columns, which is told.
The type of a column is not among them: a cell has one hash, whatever its type."""


@dataclass(frozen=True)
class SplitRecord:
    """Everything that a row's split depends on, beside the row."""

    settings: Mapping[str, Any]
    """The keys of `data.split` that divide the rows; empty where nothing recorded them."""
    columns: tuple[str, ...]
    """The columns in the hash of a row, sorted; empty for a split by key or by time."""
    hashing: int = _HASHING
    cells: Mapping[str, Any] = field(default_factory=dict)
    """The keys of `data.csv` by which cells are read; empty for another source, and where nothing
    recorded them."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> SplitRecord | None:
        """Returns the record that `to_json` wrote, or None for empty text."""
        if not text:
            return None
        content = json.loads(text)
        settings, columns = content["settings"], tuple(content["columns"])
        # Earlier versions wrote no `cells`.
        return cls(settings, columns, content["hashing"], content.get("cells", {}))

    @classmethod
    def from_columns(cls, columns: Sequence[str]) -> SplitRecord:
        """Returns the record of a model that was pushed before models had such records."""
        return cls({}, tuple(sorted(columns)), hashing=1)


def plan_split(
    split: SplitConfig,
    columns: Sequence[str],
    label: str,
    reference: SplitRecord | None,
    csv: CsvConfig | None = None,
) -> SplitRecord:
    """Returns how the rows of a table are divided.

    Args:
      columns: the columns of the table.
      reference: how the rows of the served model were divided; None if no model is served. A split
        by row hashes the columns of the reference, as long as the table has all of them.
      csv: how the cells are read; None for a source other than CSV.
    """
    own = tuple(sorted(name for name in columns if name != label)) if split.by == "row" else ()
    if own and reference and reference.columns and set(reference.columns) <= set(own):
        own = reference.columns
    return SplitRecord(_list_settings(split), own, cells=_list_settings_of_cells(csv))


def explain_new_split(reference: SplitRecord | None, plan: SplitRecord) -> str:
    """Returns why the served model may have trained on rows of eval or test; empty if it has not.

    A split by time moves on with the table: rows that are later than the training rows come into
    train, and that is not told.
    """
    if reference is None:
        return ""
    changes = [*_list_changes(reference, plan)]
    if not (reasons := ", ".join([*changes, *_list_possible_changes(reference, plan)])):
        return ""
    are = "are" if changes else "may be"
    return f"rows {are} split anew, {reasons}: the served model may know test rows"


def _list_changes(reference: SplitRecord, plan: SplitRecord) -> Iterator[str]:
    if changed := [key for key in _KEYS if _moves_rows(key, reference.settings, plan.settings)]:
        yield f"changed: {', '.join(f'data.split.{key}' for key in changed)}"
    if plan.columns and (gone := sorted(set(reference.columns) - set(plan.columns))):
        yield f"without column {', '.join(map(repr, gone))}"


def _moves_rows(key: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether the change of a key, if any, can move training rows to eval or test."""
    if key not in before or before[key] == now[key]:
        return False
    if before["by"] == now["by"] == "time":
        # No hash, and the earliest rows are the training rows: more of them are the old ones, too.
        return key == "column" or (key == "train" and now[key] < before[key])
    return True


def _list_possible_changes(reference: SplitRecord, plan: SplitRecord) -> Iterator[str]:
    """Yields the reasons that move no row of most tables."""
    before, now = reference.settings, plan.settings
    if now["by"] == "time":
        if not before:
            yield "the served model has no record of its split"
        changed = [k for k in _KEYS_OF_TIMES if k in before and before[k] != now[k]]
        if changed:
            yield f"changed: {', '.join(f'data.split.{key}' for key in changed)}"
    elif reference.hashing != plan.hashing:
        cells = _CELLS_HASHED_ANEW.get(reference.hashing, "cells")
        yield f"the served model's version hashed {cells} in another way"
    # A cell that was text may be missing now, and hashes in another way, or has no time.
    if changed := [k for k, old in reference.cells.items() if plan.cells.get(k, old) != old]:
        yield f"changed: {', '.join(f'data.csv.{key}' for key in changed)}"


def _list_settings(split: SplitConfig) -> dict[str, Any]:
    keys = (*_KEYS, *_KEYS_OF_TIMES) if split.by == "time" else _KEYS
    return {key: getattr(split, key) for key in keys}


def _list_settings_of_cells(csv: CsvConfig | None) -> dict[str, Any]:
    """Returns JSON values; neither missing cells nor units have an order."""
    if csv is None:
        return {}
    values = csv.model_dump(mode="json", include=set(_KEYS_OF_CELLS))
    return {k: sorted(v) if isinstance(v, list) else v for k, v in values.items()}
