"""The trees in the place of a network."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from random_boosters import make_rows, train_booster

from trainer_module.heads import RegressionHead
from trainer_module.trees.model import TreesModel
from trainer_module.trees.scoring.forest import parse_forest


def test_scores_pass_the_head_and_the_tables_are_the_weights() -> None:
    rows = make_rows(100, 0)
    booster = train_booster(rows)
    head = RegressionHead(np.array([100.0, 300.0]))
    forest = parse_forest(booster.model_to_string())
    model = TreesModel(lambda transformed: transformed["rows"], forest, head)
    scores = np.asarray(booster.predict(rows, raw_score=True))
    output = model({"rows": tf.constant(rows)}, training=False).numpy()[:, 0]
    np.testing.assert_allclose(output, scores * 100 + 200, rtol=1e-5)
    assert sorted({weight.name for weight in model.weights}) == ["lines:0", "table:0", "values:0"]
