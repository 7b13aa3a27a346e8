"""The exported trees score rows as LightGBM does."""

from __future__ import annotations

from pathlib import Path

import lightgbm
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from random_boosters import CATEGORICAL, CATEGORIES, NUMBERS, Rows, make_rows, train_booster

from trainer_module.trees.scoring import scorer as scorer_module
from trainer_module.trees.scoring.forest import parse_forest
from trainer_module.trees.scoring.scorer import ForestScorer


def assert_same_scores(booster: lightgbm.Booster, rows: Rows) -> None:
    wanted = np.asarray(booster.predict(rows, raw_score=True)).reshape(len(rows), -1)
    scores = ForestScorer(parse_forest(booster.model_to_string()))(tf.constant(rows)).numpy()
    np.testing.assert_allclose(scores, wanted, rtol=1e-6, atol=1e-6)


def hard_rows(booster: lightgbm.Booster, seed: int) -> Rows:
    """Returns rows at thresholds, right beside them, and with values that training never saw."""
    random = np.random.default_rng(seed)
    rows = make_rows(400, seed, missing=0.2)
    trees = parse_forest(booster.model_to_string()).trees
    for column in NUMBERS:
        found = [tree.thresholds[tree.columns == column] for tree in trees]
        at = np.concatenate([*found, np.zeros(1, np.float32)])
        extremes = np.array([np.inf, -np.inf, 0, -0.0, 3e38, -3e38, 1e-30], np.float32)
        beside = [np.nextafter(at, np.float32(way)) for way in (np.inf, -np.inf)]
        choices = np.concatenate([at, *beside, extremes])
        rows[:200, column] = random.choice(choices, 200)
    for column in CATEGORICAL:
        unseen = np.array([CATEGORIES, CATEGORIES + 31, 1e6, -1, -7, 0.5, -0.5], np.float32)
        rows[200:300, column] = random.choice(unseen, 100)
    return rows


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    leaves=st.sampled_from([2, 3, 31, 32, 33, 64, 100]),
    classes=st.sampled_from([1, 1, 3]),
    missing=st.sampled_from([0.0, 0.1, 0.9]),
    iterations=st.integers(1, 12),
    categories_at_once=st.sampled_from([1, 4, 64]),
)
def test_scores_equal_those_of_lightgbm(
    seed: int, leaves: int, classes: int, missing: float, iterations: int, categories_at_once: int
) -> None:
    rows = make_rows(600, seed, missing)
    booster = train_booster(
        rows,
        iterations,
        classes,
        num_leaves=leaves,
        min_data_in_leaf=2,
        max_cat_to_onehot=categories_at_once,
        zero_as_missing=False,
    )
    assert_same_scores(booster, hard_rows(booster, seed))


def test_float64_thresholds_decide_float32_numbers_as_lightgbm_does() -> None:
    random = np.random.default_rng(0)
    numbers = np.unique(1 + random.integers(0, 400, 4000) * np.float32(2**-23)).astype(np.float32)
    rows = np.stack([numbers, numbers, numbers, numbers * 0, numbers * 0], axis=1)
    data = lightgbm.Dataset(rows, random.normal(size=len(rows)))
    booster = lightgbm.train(
        {"objective": "regression", "min_data_in_leaf": 1, "min_data_in_bin": 1, "verbosity": -1},
        data,
        20,
    )
    assert_same_scores(booster, rows)


def test_many_rows_are_scored_in_parts_so_that_memory_does_not_grow_with_rows_and_trees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows, sizes = make_rows(500, 5), []
    # 8 iterations of 3 classes, and 40 leaves take two words: 48 words a row.
    booster = train_booster(rows, 8, 3, num_leaves=40, min_data_in_leaf=2)
    score_part = ForestScorer._score_part

    def record(scorer: ForestScorer, part: tf.Tensor) -> tf.Tensor:
        sizes.append(len(part))
        return score_part(scorer, part)

    monkeypatch.setattr(ForestScorer, "_score_part", record)
    monkeypatch.setattr(scorer_module, "_MOST_WORDS", 48 * 150)
    assert_same_scores(booster, rows)
    assert sizes == [150, 150, 150, 50]


@pytest.mark.parametrize("classes", [1, 3])
def test_trees_of_one_leaf_give_every_row_the_same_score(classes: int) -> None:
    rows = make_rows(50, 1)
    booster = train_booster(rows, 2, classes, min_data_in_leaf=10_000)
    assert_same_scores(booster, rows)


def test_the_masks_of_a_column_wait_until_those_of_earlier_columns_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scorer_module, "_COLUMNS_AT_ONCE", 2)
    scorer = ForestScorer(parse_forest(train_booster(make_rows(400, 0)).model_to_string()))
    spec = tf.TensorSpec([None, len(NUMBERS) + len(CATEGORICAL)], tf.float32)
    graph = tf.function(scorer).get_concrete_function(spec).graph.as_graph_def()
    nodes = [node for function in graph.library.function for node in function.node_def]
    gathers = [node for node in nodes if node.op == "ResourceGather"]
    waiting = [node for node in gathers if any(name.startswith("^") for name in node.input)]
    columns = len(scorer._columns)
    assert columns > 2
    # Of the two gathers of a column, the second reads what the first has found.
    assert len(waiting) == columns - 1


def test_a_saved_scorer_needs_tensorflow_alone(tmp_path: Path) -> None:
    rows = make_rows(300, 3)
    booster = train_booster(rows, 70)
    scorer = ForestScorer(parse_forest(booster.model_to_string()))
    signature = tf.TensorSpec([None, 5], tf.float32)
    scorer.score = tf.function(lambda table: scorer(table), input_signature=[signature])
    tf.saved_model.save(scorer, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    operations = loaded.score.concrete_functions[0].graph.get_operations()
    assert not {"PyFunc", "EagerPyFunc"} & {operation.type for operation in operations}
    wanted = np.asarray(booster.predict(rows, raw_score=True))
    for count in (300, 1, 0):
        scores = loaded.score(tf.constant(rows[:count])).numpy()[:, 0]
        np.testing.assert_allclose(scores, wanted[:count], atol=1e-6)
