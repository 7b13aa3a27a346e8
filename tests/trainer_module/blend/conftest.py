"""A small blend for each task, on the table with every kind of feature."""

from __future__ import annotations

import pytest
from tiny_models import Trained, train_once

MODEL = {
    "family": "blend",
    "hidden_units": [8],
    "trees": {"iterations": 20, "min_leaf_rows": 5, "backup_iterations": 8},
}


def train_blend(factory: pytest.TempPathFactory, task: str, **blend: object) -> Trained:
    model = {**MODEL, "blend": {"network": "dnn", **blend}}
    training = {"epochs": 3, "learning_rate": 0.01, "class_weights": None}
    return train_once(
        factory, f"{task}_blend", task, model=model, training=training, encoding="blend"
    )


@pytest.fixture(scope="session")
def multiclass_blend(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train_blend(tmp_path_factory, "multiclass")


@pytest.fixture(scope="session")
def regression_blend(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train_blend(tmp_path_factory, "regression")


@pytest.fixture(scope="session")
def binary_blend(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Of two networks and two trainings of trees."""
    return train_blend(tmp_path_factory, "binary", fits=2)
