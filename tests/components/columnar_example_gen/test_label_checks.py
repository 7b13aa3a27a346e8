"""Which labels are refused, and which rows are left out."""

from pathlib import Path

import pyarrow as pa
import pytest

from components.columnar_example_gen import label_checks
from components.columnar_example_gen.label_checks import LabelCheck
from components.tables.file_block import FileBlock
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import DataError

BINARY = LabelConfig(column="y", task="binary", classes=("no", "yes"))
REGRESSION = LabelConfig(column="y", task="regression", max_missing=0.5)
DATA = DataConfig(source="parquet", path=("t.parquet",))


def check_labels(label: LabelConfig, *blocks: pa.Array) -> tuple[int, list[object]]:
    check, kept, first_row = LabelCheck(label, DATA), [], 0
    for labels in blocks:
        batch = pa.RecordBatch.from_arrays([labels], ["y"])
        kept += (
            check.keep_labelled_rows(FileBlock(Path("t.parquet"), first_row, batch))
            .column(0)
            .to_pylist()
        )
        first_row += len(labels)
    return check.check_all(), kept


def test_rows_without_a_label_are_left_out_and_counted():
    label = BINARY.model_copy(update={"max_missing": 0.5})
    assert check_labels(label, pa.array(["yes", None]), pa.array([None, "no"])) == (
        2,
        ["yes", "no"],
    )
    assert check_labels(REGRESSION, pa.array([0.0, None, 1.0])) == (1, [0.0, 1.0])


def test_too_many_rows_without_a_label_are_refused():
    with pytest.raises(
        DataError, match=r"'y': 1 of 4 rows have no label, 25\.00%.*max_missing"
    ) as caught:
        check_labels(BINARY, pa.array(["yes", "no", None, "no"]))
    assert "label.max_missing" in caught.value.hint


def test_a_table_without_any_label_is_refused():
    label = BINARY.model_copy(update={"max_missing": 1.0})
    with pytest.raises(DataError, match="2 of 2 rows have no label"):
        check_labels(label, pa.nulls(2, pa.string()))


@pytest.mark.parametrize(
    ("label", "labels"),
    [(BINARY, pa.array(["yes", "yes"])), (REGRESSION, pa.array([1.5, None, 1.5]))],
)
def test_a_constant_label_is_refused(label, labels):
    with pytest.raises(DataError, match=r"label 'y': every row has the value ('yes'|1\.5)"):
        check_labels(label, labels)


def test_an_unknown_class_is_refused_with_its_count_and_first_row():
    blocks = pa.array(["no", "yes"]), pa.array(["no", "maybe", "maybe", "often"])
    with pytest.raises(
        DataError,
        match=r"t\.parquet: row 4: label 'y': 'maybe' is not one of label\.classes "
        r"\(rows with it: 2; other such values: 1\)",
    ) as caught:
        check_labels(BINARY, *blocks)
    assert caught.value.hint == "label.classes are 'no', 'yes'"


def test_a_label_with_very_many_unknown_values_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(label_checks, "_MOST_UNKNOWN_LABELS", 10)
    check = LabelCheck(BINARY, DATA)
    batch = pa.RecordBatch.from_pydict({"y": [str(i) for i in range(100)]})
    with pytest.raises(DataError, match=r"'0' is not one of label\.classes"):
        check.keep_labelled_rows(FileBlock(Path("t.parquet"), 0, batch))


def test_classes_may_be_stored_as_numbers():
    label = LabelConfig(column="y", task="binary", classes=("0", "1"))
    assert check_labels(label, pa.array([0, 1, 0])) == (0, [0, 1, 0])
