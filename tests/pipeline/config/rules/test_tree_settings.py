"""Keys that trees cannot honour are refused, and keys of networks may stay."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.config import ModelConfig, TrainingConfig, TuningConfig
from pipeline.config.rules.tree_settings import (
    find_broken_by_trees,
    find_unread_in_search,
    list_unread_keys,
)

RANGE = {"min": 0.01, "max": 0.1}


def find_broken(model: dict[str, Any], training: dict[str, Any] | None = None) -> list[str]:
    broken = find_broken_by_trees(
        ModelConfig.model_validate(model), TrainingConfig.model_validate(training or {})
    )
    return [".".join(map(str, error.key)) for error in broken]


def find_unread(families: list[str], *keys: str) -> list[str]:
    tuning = TuningConfig.model_validate({"search": dict.fromkeys(keys, RANGE)})
    return [str(error.key[-1]) for error in find_unread_in_search(families, tuning)]


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


def test_only_a_blend_of_one_fit_trains_on_several_workers() -> None:
    blend = {"family": "blend", "blend": {"fits": 2}}
    assert find_broken(blend, {"workers": 2}) == ["model.blend.fits"]
    assert find_broken(blend) == []
    assert find_broken({"family": "blend"}, {"workers": 2, "warm_start": True}) == []


def test_a_search_varies_only_what_one_of_its_families_reads() -> None:
    of_trees, of_networks, of_blends = (
        "model.trees.learning_rate", "training.learning_rate", "model.blend.seconds",
    )  # fmt: skip
    keys = (of_trees, of_networks, of_blends)
    assert find_unread(["trees"], *keys) == [of_networks, of_blends]
    assert find_unread(["dnn"], *keys) == [of_trees, of_blends]
    assert find_unread(["dnn", "trees"], *keys) == [of_blends]
    assert find_unread(["dnn", "blend"], *keys) == []


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
