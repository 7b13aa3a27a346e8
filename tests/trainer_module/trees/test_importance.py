"""The importance of the table's columns."""

from __future__ import annotations

import pytest
from random_boosters import make_rows, train_booster

from trainer_module.trees.importance import measure_importance
from trainer_module.trees.inputs import TreeColumn


def test_shares_sum_over_the_parts_of_a_feature_and_the_greatest_comes_first() -> None:
    booster = train_booster(make_rows(500, 0))
    parts = [TreeColumn("a", "x"), TreeColumn("a", "y"), *map(TreeColumn, ("b", "c", "d"))]
    measured = measure_importance(booster, parts)
    for kind in ("gain", "split"):
        raw = booster.feature_importance(kind)
        shares = measured[f"importance_by_{kind}"]
        assert shares["a"] == pytest.approx((raw[0] + raw[1]) / raw.sum())
        assert list(shares.values()) == sorted(shares.values(), reverse=True)


def test_trees_without_a_split_give_every_column_nothing() -> None:
    booster = train_booster(make_rows(50, 0), min_data_in_leaf=1000)
    columns = list(map(TreeColumn, "abcde"))
    assert set(measure_importance(booster, columns)["importance_by_gain"].values()) == {0.0}
