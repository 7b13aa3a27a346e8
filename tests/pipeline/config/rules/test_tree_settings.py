"""Keys that trees cannot honour are refused, and keys of networks may stay."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.config import ModelConfig, TrainingConfig, TuningConfig
from pipeline.config.rules.tree_settings import find_broken_by_trees, list_unread_keys

RANGE = {"min": 0.01, "max": 0.1}


def find_broken(
    model: dict[str, Any], training: dict[str, Any] | None = None, search: Any = None
) -> list[str]:
    tuning = TuningConfig.model_validate({"search": search}) if search else None
    broken = find_broken_by_trees(
        ModelConfig.model_validate(model), TrainingConfig.model_validate(training or {}), tuning
    )
    return [".".join(map(str, error.key)) for error in broken]


@pytest.mark.parametrize(
    ("training", "key"),
    [
        ({"warm_start": True}, "training.warm_start"),
        ({"workers": 2}, "training.workers"),
        ({"strategy": "parameter_server"}, "training.strategy"),
    ],
)
def test_another_kind_of_training_is_refused_for_trees_alone(
    training: dict[str, Any], key: str
) -> None:
    assert find_broken({"family": "trees"}, training) == [key]
    assert find_broken({"family": "dnn"}, training) == []


@pytest.mark.parametrize("family", ["trees", "dnn"])
def test_a_search_over_trees_and_networks_is_refused(family: str) -> None:
    search = {"model.family": {"choice": ["trees", "dnn"]}}
    assert find_broken({"family": family}, search=search) == ["tuning.search.model.family"]


def test_a_search_varies_only_what_the_family_reads() -> None:
    of_trees, of_networks = "model.trees.learning_rate", "training.learning_rate"
    search = {of_trees: RANGE, of_networks: RANGE}
    assert find_broken({"family": "trees"}, search=search) == [f"tuning.search.{of_networks}"]
    assert find_broken({"family": "dnn"}, search=search) == [f"tuning.search.{of_trees}"]


def test_changed_keys_that_trees_do_not_read_are_listed() -> None:
    model = ModelConfig.model_validate({"family": "trees", "dropout": 0.1, "trees": {"leaves": 9}})
    training = TrainingConfig.model_validate(
        {"optimizer": "sgd", "seed": 3, "epochs": 4, "loop": "auto"}
    )
    assert list_unread_keys(model, training) == [
        "model.dropout",
        "training.epochs",
        "training.optimizer",
    ]
