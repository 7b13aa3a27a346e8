"""The stages of a training become one model, which LightGBM itself can read."""

from __future__ import annotations

import lightgbm
import numpy as np
from random_boosters import make_rows, train_booster

from trainer_module.trees.scoring.model_text import join_texts, split_text


def test_a_joined_model_adds_the_scores_of_the_first_iterations() -> None:
    rows = make_rows(500, 2)
    stages = [train_booster(rows, 3, 3), train_booster(rows[:300], 4, 3, num_leaves=60)]
    text = join_texts([stage.model_to_string() for stage in stages], iterations=5)
    assert len(split_text(text)[1]) == 15
    joined = lightgbm.Booster(model_str=text)
    wanted = np.asarray(stages[0].predict(rows, raw_score=True))
    wanted = wanted + np.asarray(stages[1].predict(rows, raw_score=True, num_iteration=2))
    np.testing.assert_allclose(joined.predict(rows, raw_score=True), wanted, atol=1e-12)
    assert (joined.num_trees(), joined.num_model_per_iteration()) == (15, 3)
