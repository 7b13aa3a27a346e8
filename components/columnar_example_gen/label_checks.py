"""Leaves out rows without a label, and refuses labels that no model can learn."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.file_block import FileBlock
from components.tables.parquet_file import cast_to_text
from components.tables.readers import describe_place
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import DataError

# Distinct values outside label.classes that are counted. More of them mean that the column is no
# label: the run stops at once, and the memory of the count stays bounded.
_MOST_UNKNOWN_LABELS = 1000


class LabelCheck:
    """Counts the labels of a table block by block, and checks them after the last block.

    Call `keep_labelled_rows` and `add_training_rows` for each block, then `check_all`, then
    `find_unseen_classes`.
    """

    def __init__(self, label: LabelConfig, data: DataConfig) -> None:
        self._label = label
        self._data = data
        self._rows = 0
        self._rows_without_label = 0
        self._distinct: set[object] = set()
        """The classes found so far; in a regression the lowest and the highest number."""
        self._trained: set[str] = set()
        """The classes found so far in the training split."""
        self._unknown_labels: Counter[str] = Counter()
        self._first_unknown_label: tuple[str, TablePath, int] | None = None

    def keep_labelled_rows(self, block: FileBlock) -> pa.RecordBatch:
        """Counts the labels of the block and returns the rows that have a label.

        Raises:
          DataError: the column has so many values outside label.classes that it is no label.
        """
        index = block.batch.schema.get_field_index(self._label.column)
        labels = block.batch.column(index)
        self._rows += len(labels)
        self._rows_without_label += labels.null_count
        if self._label.task == "regression":
            self._count_numbers(labels)
        else:
            self._count_classes(block, cast_to_text(labels))
        return block.batch.filter(pc.is_valid(labels)) if labels.null_count else block.batch

    def add_training_rows(self, batch: pa.RecordBatch) -> None:
        """Counts the classes of the rows that the split train has of a block."""
        if self._label.task != "regression":
            labels = cast_to_text(batch.column(batch.schema.get_field_index(self._label.column)))
            self._trained.update(labels.unique().to_pylist())

    def find_unseen_classes(self) -> tuple[str, ...]:
        """Returns the classes that occur in the table but not in the training split.

        Raises:
          DataError: all rows of the training split have the same class.
        """
        if self._label.task == "regression":
            return ()
        unseen = tuple(c for c in self._label.classes if c in self._distinct - self._trained)
        if len(self._trained) == 1:
            raise DataError(
                f"label '{self._label.column}': every training row is of class "
                f"{next(iter(self._trained))!r}; {', '.join(map(repr, unseen))} occurs only in "
                "the other splits",
                "set another data.split.seed, or add rows; a split by time needs every class "
                "among the earliest rows",
            )
        return unseen

    def check_all(self) -> int:
        """Checks the labels of all blocks, and returns the number of rows without a label.

        Raises:
          DataError: more rows than label.max_missing have no label, a label is not in
            label.classes, or all labels are equal.
        """
        if self._unknown_labels:
            raise self._unknown_label_error()
        column, missing = self._label.column, self._rows_without_label
        share, allowed = missing / self._rows, self._label.max_missing
        if share > allowed or not self._distinct:
            raise DataError(
                f"label '{column}': {missing} of {self._rows} rows have no label, "
                f"{share:.2%}; label.max_missing allows {allowed:.2%}",
                "raise label.max_missing to leave these rows out",
            )
        if len(self._distinct) == 1:
            raise DataError(
                f"label '{column}': every row has the value {next(iter(self._distinct))!r}; "
                "there is nothing to learn"
            )
        return missing

    def _count_numbers(self, labels: pa.Array) -> None:
        lowest_and_highest = pc.min_max(labels).as_py().values()
        seen = self._distinct | {number for number in lowest_and_highest if number is not None}
        self._distinct = {min(seen), max(seen)} if seen else seen  # type: ignore[type-var]

    def _count_classes(self, block: FileBlock, labels: pa.Array) -> None:
        for entry in labels.drop_null().value_counts():
            value, count = entry["values"].as_py(), entry["counts"].as_py()
            if value in self._label.classes:
                self._distinct.add(value)
                continue
            if self._first_unknown_label is None:
                row = block.first_row + pc.index(labels, value).as_py()
                self._first_unknown_label = (value, block.path, row)
            self._unknown_labels[value] += count
        if len(self._unknown_labels) > _MOST_UNKNOWN_LABELS:
            raise self._unknown_label_error()

    def _unknown_label_error(self) -> DataError:
        assert self._first_unknown_label is not None
        value, path, row = self._first_unknown_label
        others = len(self._unknown_labels) - 1
        more = f"; other such values: {others}" if others else ""
        return DataError(
            f"{describe_place(path, row, self._data)}: label '{self._label.column}': {value!r} "
            f"is not one of label.classes (rows with it: {self._unknown_labels[value]}{more})",
            f"label.classes are {', '.join(map(repr, self._label.classes))}",
        )
