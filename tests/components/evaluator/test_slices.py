"""Rows by the values of columns."""

import numpy as np

from components.evaluator.slices import SliceKey, group_rows

COLUMNS = {
    "color": np.array([[b"red"], ["grün".encode()], [b"red"], [b"red"]], dtype=object),
    "hour": np.array([[7], [7], [8], [7]]),
    "share": np.array([[np.nan], [0.5], [np.nan], [0.5]], np.float32),
}


def slices(*names: str) -> dict[SliceKey, list[int]]:
    return {key: rows.tolist() for key, rows in group_rows(COLUMNS, names)}


def test_no_column_is_the_whole_split() -> None:
    assert slices() == {(): [0, 1, 2, 3]}


def test_rows_of_each_value() -> None:
    assert slices("color") == {(("color", "red"),): [0, 2, 3], (("color", "grün"),): [1]}


def test_combinations_that_occur_in_the_order_of_the_names() -> None:
    assert slices("hour", "color") == {
        (("color", "red"), ("hour", 7)): [0, 3],
        (("color", "grün"), ("hour", 7)): [1],
        (("color", "red"), ("hour", 8)): [2],
    }


def test_missing_numbers_are_one_slice() -> None:
    keys = {str(key): rows for key, rows in slices("share").items()}
    assert keys == {"(('share', nan),)": [0, 2], "(('share', 0.5),)": [1, 3]}


def test_many_columns_of_many_values_stay_apart() -> None:
    columns = {f"c{i}": np.random.default_rng(i).permutation(32_768) for i in range(5)}
    for key, [row] in group_rows(columns, list(columns)):
        assert key == tuple((name, values[row]) for name, values in columns.items())


def test_no_rows_have_no_slices() -> None:
    assert list(group_rows({"hour": np.empty((0, 1), np.int64)}, ["hour"])) == []
    assert list(group_rows({"hour": np.empty((0, 1), np.int64)}, [])) == []
