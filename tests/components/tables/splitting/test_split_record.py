"""Rows of the served model keep their splits, and a table that is split anew says so."""

from typing import Any

import pytest

from components.tables.splitting.split_record import SplitRecord, explain_new_split, plan_split
from pipeline.config import SplitConfig

BY_ROW = SplitConfig()
SERVED = plan_split(BY_ROW, ["b", "a", "y"], "y", None)


def test_a_record_survives_json() -> None:
    assert SplitRecord.from_json(SERVED.to_json()) == SERVED
    assert SplitRecord.from_json("") is None
    old = SplitRecord.from_columns(["b", "a"])
    assert (old.columns, old.hashing) == (("a", "b"), 1)
    assert SplitRecord.from_json(old.to_json()) == old


def test_a_new_column_does_not_enter_the_hash() -> None:
    plan = plan_split(BY_ROW, ["a", "new", "b", "y"], "y", SERVED)
    assert plan.columns == SERVED.columns == ("a", "b")
    assert explain_new_split(SERVED, plan) == ""


@pytest.mark.parametrize(
    ("columns", "settings", "reason"),
    [
        (["a", "y"], {}, "without column 'b'"),
        (["a", "b", "y"], {"seed": 7}, "changed: data.split.seed"),
        (["a", "b", "y"], {"by": "key", "column": "a"}, "changed: data.split.by, data.split.col"),
    ],
)
def test_a_table_that_is_split_anew_says_why(
    columns: list[str], settings: dict[str, Any], reason: str
) -> None:
    plan = plan_split(SplitConfig(**settings), columns, "y", SERVED)
    assert reason in explain_new_split(SERVED, plan)


@pytest.mark.parametrize(
    ("hashing", "cells"), [(1, "numbers in text"), (2, "numbers above 16,777,216"), (9, "cells")]
)
def test_a_model_of_another_version_of_the_hash_gives_the_columns_and_a_warning(
    hashing: int, cells: str
) -> None:
    old = SplitRecord(SERVED.settings, SERVED.columns, hashing)
    plan = plan_split(BY_ROW, ["a", "b", "c", "y"], "y", old)
    assert plan.columns == ("a", "b")
    told = explain_new_split(old, plan)
    assert told.startswith("rows may be split anew, ")
    assert f"the served model's version hashed {cells}" in told


def test_a_model_without_a_record_gives_the_columns_and_a_warning() -> None:
    old = SplitRecord.from_columns(["b", "a"])
    plan = plan_split(BY_ROW, ["a", "b", "c", "y"], "y", old)
    assert plan.columns == ("a", "b")
    assert "numbers in text" in explain_new_split(old, plan)


def test_later_rows_of_a_split_by_time_are_not_split_anew() -> None:
    week = plan_split(SplitConfig(by="time", column="t"), ["t", "y"], "y", None)
    longer = SplitConfig(by="time", column="t", train=0.7, eval=0.2)
    assert explain_new_split(week, plan_split(longer, ["t", "u", "y"], "y", week)) == ""
    assert explain_new_split(None, week) == ""
    assert week.columns == ()
