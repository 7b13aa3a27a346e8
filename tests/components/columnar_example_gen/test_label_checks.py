"""Which labels are refused, and which rows are left out."""

from pathlib import Path

import pyarrow as pa
import pytest
from pydantic import TypeAdapter

from components.columnar_example_gen import label_checks
from components.columnar_example_gen.label_checks import LabelCheck, LabelTally
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
            .batch.column(0)
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


def count_labels(label: LabelConfig, labels: pa.Array, first_row: int) -> LabelCheck:
    check = LabelCheck(label, DATA)
    batch = pa.RecordBatch.from_arrays([labels], ["y"])
    check.keep_labelled_rows(FileBlock(Path("t.parquet"), first_row, batch))
    return check


def test_tallies_of_parts_add_up(monkeypatch):
    whole = LabelCheck(BINARY.model_copy(update={"max_missing": 0.5}), DATA)
    for row, labels in ((0, ["no", None]), (2, ["yes", "no"])):
        whole.append(count_labels(BINARY, pa.array(labels), row).tally)
    assert whole.check_all() == 1
    numbers = LabelCheck(REGRESSION, DATA)
    for labels in ([0.5, 1.0, 0.75], [None, 0.25]):
        numbers.append(count_labels(REGRESSION, pa.array(labels), 0).tally)
    assert (numbers.check_all(), numbers.tally.found) == (1, {0.25, 1.0})


def test_the_first_unknown_label_of_all_parts_is_named(monkeypatch):
    monkeypatch.setattr(label_checks, "_MOST_UNKNOWN_LABELS", 3)
    whole = LabelCheck(BINARY, DATA)
    whole.append(count_labels(BINARY, pa.array(["no", "a", "b"]), 0).tally)
    with pytest.raises(DataError, match=r"row 2: label 'y': 'a' .*\(nor are more than 3 other"):
        whole.append(count_labels(BINARY, pa.array(["c", "d"]), 3).tally)


def test_a_tally_survives_as_json():
    tally = LabelTally(3, 1, {1, 2.5}, {"x"}, {"a": 2}, ("a", Path("t.csv"), 7))
    kind = TypeAdapter(LabelTally)
    again = kind.validate_json(kind.dump_json(tally))
    assert again == tally
    assert {type(number) for number in again.found} == {int, float}


def test_classes_may_be_stored_as_numbers():
    label = LabelConfig(column="y", task="binary", classes=("0", "1"))
    assert check_labels(label, pa.array([0, 1, 0])) == (0, [0, 1, 0])
