"""The tables leave exactly one leaf of each tree."""

from __future__ import annotations

import numpy as np
from random_boosters import CATEGORICAL, make_rows, train_booster

from trainer_module.trees.scoring.forest import parse_forest
from trainer_module.trees.scoring.masks import make_masks


def test_every_combination_of_codes_leaves_one_leaf_of_each_tree() -> None:
    booster = train_booster(make_rows(500, 0), 70, num_leaves=40)
    masks = make_masks(parse_forest(booster.model_to_string()))
    random = np.random.default_rng(0)
    for _ in range(50):
        lines = [random.choice(column.lines, axis=0) for column in masks.columns]
        left = np.bitwise_and.reduce([masks.table[line] for line in lines])
        by_tree = left.reshape(-1, masks.words)[: masks.trees]
        bits = np.unpackbits(np.ascontiguousarray(by_tree).view(np.uint8), axis=1).sum(axis=1)
        assert (bits == 1).all()


def test_columns_without_a_node_have_no_codes_and_categories_no_thresholds() -> None:
    rows = make_rows(500, 0)
    rows[:, 1] = 1.0
    masks = make_masks(parse_forest(train_booster(rows, 5).model_to_string()))
    assert 1 not in [column.index for column in masks.columns]
    for column in masks.columns:
        assert column.is_categorical == (column.index in CATEGORICAL)
        assert (len(column.thresholds) == 0) == column.is_categorical
