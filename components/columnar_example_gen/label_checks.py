"""Leaves out rows without a label, and refuses labels that no model can learn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.file_block import FileBlock
from components.tables.parquet.stored_types import cast_to_text
from components.tables.readers import describe_place
from components.tables.sources.table_path import TablePath
from components.tables.splitting.unseen_classes import find_unseen_classes
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import DataError

# Distinct values outside label.classes that are counted. More of them mean that the column is no
# label: the run stops at once, and the memory of the count stays bounded.
_MOST_UNKNOWN_LABELS = 1000


@dataclass
class LabelTally:
    """The labels of a table, or of some of its rows; tallies of consecutive rows add up."""

    rows: int = 0
    rows_without_label: int = 0
    found: set[int | float | str] = field(default_factory=set)
    """The classes found; in a regression the lowest and the highest number."""
    trained: set[str] = field(default_factory=set)
    """The classes found in the training split."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Values outside label.classes, each with the number of its rows."""
    first_unknown: tuple[str, TablePath, int] | None = None
    """The first such value, with its file and the index of its row in the file."""

    def append(self, later: LabelTally, label: LabelConfig) -> None:
        """Adds the labels of rows that come after these rows in the table."""
        self.rows += later.rows
        self.rows_without_label += later.rows_without_label
        self.found = _keep_ends(self.found | later.found, label)
        self.trained |= later.trained
        self.unknown = dict(Counter(self.unknown) + Counter(later.unknown))
        self.first_unknown = self.first_unknown or later.first_unknown


def _keep_ends(found: set[int | float | str], label: LabelConfig) -> set[int | float | str]:
    if label.task != "regression" or not found:
        return found
    return {min(found), max(found)}


class LabelCheck:
    """Counts the labels of a table block by block, and checks them after the last block.

    Call `keep_labelled_rows` and `add_training_rows` for each block, then `check_all`, then
    `find_unseen_classes`.
    """

    def __init__(self, label: LabelConfig, data: DataConfig) -> None:
        self._label = label
        self._data = data
        self.tally = LabelTally()

    def keep_labelled_rows(self, block: FileBlock) -> FileBlock:
        """Counts the labels of the block and returns the rows that have a label.

        Raises:
          DataError: the column has so many values outside label.classes that it is no label.
        """
        index = block.batch.schema.get_field_index(self._label.column)
        labels = block.batch.column(index)
        self.tally.rows += len(labels)
        self.tally.rows_without_label += labels.null_count
        if self._label.task == "regression":
            self._count_numbers(labels)
        else:
            self._count_classes(block, cast_to_text(labels))
        return block.filter(pc.is_valid(labels)) if labels.null_count else block

    def add_training_rows(self, batch: pa.RecordBatch) -> None:
        """Counts the classes of the rows that the split train has of a block."""
        if self._label.task != "regression":
            labels = cast_to_text(batch.column(batch.schema.get_field_index(self._label.column)))
            self.tally.trained.update(labels.unique().to_pylist())

    def append(self, later: LabelTally) -> None:
        """Adds what another check counted in the rows after those of this check.

        Raises:
          DataError: see `keep_labelled_rows`.
        """
        self.tally.append(later, self._label)
        self._refuse_too_many_unknown()

    def find_unseen_classes(self) -> tuple[str, ...]:
        """Returns the classes that occur in the table but not in the training split.

        Raises:
          DataError: see the function of this name in `unseen_classes`.
        """
        label, tally = self._label, self.tally
        if label.task == "regression":
            return ()
        found = {str(name) for name in tally.found}
        return find_unseen_classes(label.column, label.classes, found, tally.trained)

    def check_all(self) -> int:
        """Checks the labels of all blocks, and returns the number of rows without a label.

        Raises:
          DataError: more rows than label.max_missing have no label, a label is not in
            label.classes, or all labels are equal.
        """
        tally = self.tally
        if tally.first_unknown is not None:
            raise self._make_unknown_label_error(*tally.first_unknown)
        column, missing = self._label.column, tally.rows_without_label
        share, allowed = missing / tally.rows, self._label.max_missing
        if share > allowed or not tally.found:
            raise DataError(
                f"label '{column}': {missing} of {tally.rows} rows have no label, "
                f"{share:.2%}; label.max_missing allows {allowed:.2%}",
                "raise label.max_missing to leave these rows out",
            )
        if len(tally.found) == 1:
            raise DataError(
                f"label '{column}': every row has the value {next(iter(tally.found))!r}; "
                "there is nothing to learn"
            )
        return missing

    def _count_numbers(self, labels: pa.Array) -> None:
        ends = {number for number in pc.min_max(labels).as_py().values() if number is not None}
        self.tally.found = _keep_ends(self.tally.found | ends, self._label)

    def _count_classes(self, block: FileBlock, labels: pa.Array) -> None:
        tally = self.tally
        for entry in labels.drop_null().value_counts():
            value, count = entry["values"].as_py(), entry["counts"].as_py()
            if value in self._label.classes:
                tally.found.add(value)
                continue
            if tally.first_unknown is None:
                row = block.first_row + pc.index(labels, value).as_py()
                tally.first_unknown = (value, block.path, row)
            tally.unknown[value] = tally.unknown.get(value, 0) + count
        self._refuse_too_many_unknown()

    def _refuse_too_many_unknown(self) -> None:
        tally = self.tally
        if tally.first_unknown is not None and len(tally.unknown) > _MOST_UNKNOWN_LABELS:
            raise self._make_unknown_label_error(*tally.first_unknown)

    def _make_unknown_label_error(self, value: str, path: TablePath, row: int) -> DataError:
        return DataError(
            f"{describe_place(path, row, self._data)}: label '{self._label.column}': {value!r} "
            f"is not one of label.classes ({self._count_unknown(value)})",
            f"label.classes are {', '.join(map(repr, self._label.classes))}",
        )

    def _count_unknown(self, value: str) -> str:
        others = len(self.tally.unknown) - 1
        if others >= _MOST_UNKNOWN_LABELS:
            # The check stopped here, and how many it has seen depends on the order of the work.
            return f"nor are more than {_MOST_UNKNOWN_LABELS:,} other values"
        more = f"; other such values: {others}" if others else ""
        return f"rows with it: {self.tally.unknown[value]}{more}"
