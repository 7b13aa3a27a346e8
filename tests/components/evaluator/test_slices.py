"""Rows grouped by the values of columns."""

import numpy as np

from components.evaluator.slices import SliceKey, group_rows

COLUMNS = {
    "color": np.array([[b"red"], ["grün".encode()], [b"red"], [b"red"]], dtype=object),
    "hour": np.array([[7], [7], [8], [7]]),
    "share": np.array([[np.nan], [0.5], [np.nan], [0.5]], np.float32),
}


def groups(*names: str) -> dict[SliceKey, list[int]]:
    return {key: rows.tolist() for key, rows in group_rows(COLUMNS, names)}


def test_without_columns_the_only_group_is_the_whole_split() -> None:
    assert groups() == {(): [0, 1, 2, 3]}


def test_each_value_of_a_column_is_a_group() -> None:
    assert groups("color") == {(("color", "red"),): [0, 2, 3], (("color", "grün"),): [1]}


def test_each_combination_that_occurs_is_a_group_ordered_by_column_name() -> None:
    assert groups("hour", "color") == {
        (("color", "red"), ("hour", 7)): [0, 3],
        (("color", "grün"), ("hour", 7)): [1],
        (("color", "red"), ("hour", 8)): [2],
    }


def test_all_missing_numbers_are_one_group() -> None:
    keys = {str(key): rows for key, rows in groups("share").items()}
    assert keys == {"(('share', nan),)": [0, 2], "(('share', 0.5),)": [1, 3]}


def test_groups_of_many_columns_with_many_values_do_not_collide() -> None:
    columns = {f"c{i}": np.random.default_rng(i).permutation(32_768) for i in range(5)}
    for key, [row] in group_rows(columns, list(columns)):
        assert key == tuple((name, values[row]) for name, values in columns.items())


def test_no_rows_make_no_groups() -> None:
    assert list(group_rows({"hour": np.empty((0, 1), np.int64)}, ["hour"])) == []
    assert list(group_rows({"hour": np.empty((0, 1), np.int64)}, [])) == []
