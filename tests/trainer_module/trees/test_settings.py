"""The settings reach LightGBM under its names."""

from __future__ import annotations

import pytest

from pipeline.config import LabelConfig, TrainingConfig
from pipeline.config.sections.families.trees import TreesConfig
from trainer_module.trees.settings import (
    choose_category_rows,
    count_threads,
    make_parameters,
    make_stage_seeds,
)

LABEL = {"column": "y", "task": "multiclass", "classes": ["a", "b", "c"]}


def test_the_parameters_fit_the_task_and_are_deterministic() -> None:
    trees = TreesConfig(leaves=7, row_share=0.5, min_category_rows=3)
    label = LabelConfig.model_validate(LABEL)
    parameters = make_parameters(label, trees, TrainingConfig(seed=2**32 - 1), rows=1000)
    assert (parameters["objective"], parameters["num_class"]) == ("multiclass", 3)
    assert (parameters["num_leaves"], parameters["min_data_per_group"]) == (7, 3)
    assert parameters["bagging_freq"] == 1
    assert parameters["deterministic"]
    assert 0 <= parameters["data_random_seed"] < 2**31
    whole = make_parameters(label, TreesConfig(), TrainingConfig(), rows=1000)
    assert whole["bagging_freq"] == 0


@pytest.mark.parametrize(("rows", "least"), [(100, 10), (1_000, 20), (1_000_000, 100)])
def test_small_tables_may_split_small_groups_of_categories(rows: int, least: int) -> None:
    assert choose_category_rows(TreesConfig(), rows) == least
    assert choose_category_rows(TreesConfig(min_category_rows=7), rows) == 7


def test_each_stage_draws_with_other_seeds() -> None:
    seeds = [tuple(make_stage_seeds(2**32 - 1, stage).values()) for stage in range(3)]
    assert len(set(seeds)) == 3
    assert all(0 <= seed < 2**31 for several in seeds for seed in several)


def test_a_trial_uses_its_share_of_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "3")
    assert count_threads(TrainingConfig()) == 3
    assert count_threads(TrainingConfig.model_validate({"threads": {"intra_op": 5}})) == 5
    monkeypatch.delenv("TF_NUM_INTRAOP_THREADS")
    assert count_threads(TrainingConfig()) >= 1
