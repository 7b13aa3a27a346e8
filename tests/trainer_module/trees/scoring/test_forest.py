"""LightGBM's text is read into arrays, and what cannot be exported is refused."""

from __future__ import annotations

import numpy as np
import pytest
from random_boosters import make_rows, train_booster

from pipeline.core.errors import PipelineError
from trainer_module.trees.scoring.forest import parse_forest, round_down


def test_the_forest_has_the_trees_and_scores_of_the_model() -> None:
    booster = train_booster(make_rows(300, 0), 4, 3)
    forest = parse_forest(booster.model_to_string())
    assert (len(forest.trees), forest.outputs) == (12, 3)
    described = booster.dump_model()["tree_info"]
    assert [len(tree.values) for tree in forest.trees] == [t["num_leaves"] for t in described]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"zero_as_missing": True}, "zeros"), ({"linear_tree": True}, "linear")],
)
def test_a_model_that_cannot_be_exported_is_refused(
    settings: dict[str, bool], problem: str
) -> None:
    booster = train_booster(np.nan_to_num(make_rows(300, 0)), 2, **settings)
    with pytest.raises(PipelineError, match=problem):
        parse_forest(booster.model_to_string())


def test_a_rounded_threshold_is_the_next_float32_number_below() -> None:
    thresholds = np.array([0.1, 0.5, 1e300, -1e300, 1e-35, -0.1])
    rounded = round_down(thresholds)
    assert (rounded <= thresholds).all()
    assert (np.nextafter(rounded, np.float32(np.inf)) > thresholds)[np.isfinite(rounded)].all()
    assert rounded[2] == np.finfo(np.float32).max
