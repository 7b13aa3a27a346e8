"""Rows are read a few columns at a time; of a very large table, a part."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from deliveries import FARE, table
from tables import make_inputs, read_rows

from components.data_figures import counting
from components.data_figures.counting import group_columns, read_numbers


def test_all_rows_are_read() -> None:
    data = table()
    found = read_numbers(make_inputs(data), [FARE, "tip"], functools.partial(read_rows, data))
    assert {split: rows.count for split, rows in found[FARE].items()} == {
        "train": 800, "eval": 100, "test": 100,
    }  # fmt: skip
    assert found["tip"]["train"].count == data["tip"][:800].notna().sum()


def test_of_a_large_table_each_split_gives_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_MOST_ROWS", 500)
    data = table()
    found = read_numbers(make_inputs(data), [FARE], functools.partial(read_rows, data))
    assert [rows.count for rows in found[FARE].values()] == [400, 50, 50]
    values = data[FARE].to_numpy("float32")[:800]
    assert np.isin(found[FARE]["train"].values, values).all()


def test_wide_tables_are_read_in_groups() -> None:
    names = [str(n) for n in range(500)]
    groups = list(group_columns(names, 1_000_000))
    assert [len(group) for group in groups] == [20] * 25
    assert [name for group in groups for name in group] == names
    assert list(group_columns(names, 100)) == [names]
