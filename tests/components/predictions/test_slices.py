"""Slices of the table of predictions."""

import pyarrow as pa

from components.predictions.slices import group_slices

COLUMNS = {
    "city": pa.array(["Oslo", None, "Oslo", "Rom"]),
    "hour": pa.array([7, 7, None, 7]),
    "fare": pa.array([0.1, None, 0.1, 2.0], pa.float32()),
}


def groups(*columns: str) -> dict[str, list[int]]:
    return {name: rows.tolist() for name, rows in group_slices(COLUMNS, columns)}


def test_each_combination_of_cells_is_a_slice_named_as_by_the_evaluator() -> None:
    assert groups("city") == {"city=Oslo": [0, 2], "city=(missing)": [1], "city=Rom": [3]}
    assert groups("hour", "city") == {
        "city=Oslo, hour=7": [0],
        "city=(missing), hour=7": [1],
        "city=Oslo, hour=(missing)": [2],
        "city=Rom, hour=7": [3],
    }


def test_a_32_bit_number_is_written_with_all_its_digits_as_by_the_evaluator() -> None:
    assert groups("fare") == {
        "fare=0.10000000149011612": [0, 2],
        "fare=(missing)": [1],
        "fare=2.0": [3],
    }


def test_no_rows_have_no_slices() -> None:
    assert [*group_slices({"city": pa.array([], pa.string())}, ["city"])] == []
