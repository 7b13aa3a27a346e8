"""The rows whose answer changed are counted, and the greatest changes shown."""

import numpy as np
import pyarrow as pa
from predictions_for_pairs import binary, regression

from components.predictions.table import Predictions
from pipeline.runners.comparing.answers import compare_answers
from pipeline.runners.comparing.common_rows import RowPairs
from pipeline.runners.comparing.pair import Pair

LABELS = np.array([0, 1, 1, 0])


def pairs(rows: int) -> RowPairs:
    return RowPairs(np.arange(rows) + 10, np.arange(rows), ("a", "b"))


def test_an_answer_changes_if_the_class_does() -> None:
    before = binary(np.array([0.4, 0.4, 0.9, 0.9]), LABELS)
    after = binary(np.array([0.6, 0.6, 0.2, 0.7]), LABELS)
    cells = pa.table({"a": [1.5, None, 0.1 + 0.2, 2.0], "b": ["x", "y", None, "z" * 5000]})
    rows = compare_answers(Pair(before, after), pairs(4), cells)
    assert (rows.rows_before, rows.common, rows.changed) == (9, 4, 3)
    assert (rows.became_right, rows.became_wrong) == (1, 2)
    first = rows.changed_rows[0]
    assert (first.row_before, first.row_after, first.label) == (12, 2, "yes")
    assert (first.answer_before, first.answer_after) == ("yes", "no")
    assert round(first.size, 6) == 0.7
    assert first.cells == {"a": "0.3"}
    hidden = compare_answers(Pair(before, after), pairs(4), None)
    assert all(row.cells == {} for row in hidden.changed_rows)


def test_a_probability_of_a_half_is_the_positive_class_as_served() -> None:
    before, after = binary(np.array([0.5, 0.5]), LABELS[:2]), binary(np.ones(2), LABELS[:2])
    assert compare_answers(Pair(before, after), pairs(2), None).changed == 0


def test_the_most_probable_of_many_classes_is_the_answer() -> None:
    classes = ("a", "b", "c")

    def model(rows: list[list[float]]) -> Predictions:
        return Predictions(
            "multiclass", classes, "test", np.arange(2), np.array([2, -1]),
            np.array(rows, np.float32), None, {}, 2,
        )  # fmt: skip

    before = model([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
    after = model([[0.1, 0.1, 0.8], [0.2, 0.7, 0.1]])
    rows = compare_answers(Pair(before, after), pairs(2), None)
    assert (rows.changed, rows.became_right, rows.became_wrong) == (1, 1, 0)
    [row] = rows.changed_rows
    assert (row.answer_before, row.answer_after, row.label) == ("a", "c", "c")


def test_a_number_changes_if_it_moves_by_a_tenth_of_the_labels_deviation() -> None:
    labels = np.array([0.0, 10.0, 20.0, 30.0])
    before = regression(labels, labels)
    after = regression(labels + np.array([0.0, 1.0, 5.0, -9.0]), labels)
    rows = compare_answers(Pair(before, after), pairs(4), None)
    assert (rows.changed, rows.became_right, rows.became_wrong) == (2, None, None)
    assert [row.size for row in rows.changed_rows] == [9.0, 5.0]
    assert rows.changed_rows[0].answer_after == "21"


def test_at_most_twenty_rows_are_shown() -> None:
    labels = np.ones(100)
    before, after = binary(np.full(100, 0.1), labels), binary(np.full(100, 0.9), labels)
    rows = compare_answers(Pair(before, after), pairs(100), None)
    assert (rows.changed, len(rows.changed_rows)) == (100, 20)


def test_a_corrected_label_is_shown_beside_the_earlier_one() -> None:
    before = binary(np.array([0.4, 0.9]), np.array([0, 0]))
    after = binary(np.array([0.6, 0.9]), np.array([1, 0]))
    rows = compare_answers(Pair(before, after), RowPairs(*2 * [np.arange(2)], ("a",), 1), None)
    [row] = rows.changed_rows
    assert (row.label_before, row.label, rows.relabelled) == ("no", "yes", 1)
    # The later label judges both models.
    assert (rows.became_right, rows.became_wrong) == (1, 0)


def test_numbers_of_a_regression_keep_all_their_digits() -> None:
    labels = np.array([1234567.0, 0.25, 16777217.0])
    before = regression(labels, labels)
    after = regression(labels.astype(np.float32) + np.float32(1e7), labels)
    shown = compare_answers(Pair(before, after), pairs(3), None).changed_rows
    assert {row.label for row in shown} == {"1234567", "0.25", "16777217"}
    assert {row.answer_after for row in shown} == {"11234567", "10000000", "26777216"}
