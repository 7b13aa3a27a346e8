"""Small trees for each task, on the table with every kind of feature."""

from __future__ import annotations

import pytest
from tiny_models import Trained, train_once

SETTINGS = {"iterations": 30, "min_leaf_rows": 5, "backup_iterations": 8, "row_share": 0.8}


def train_small(
    factory: pytest.TempPathFactory, task: str, training: dict[str, object] | None = None
) -> Trained:
    model = {"family": "trees", "trees": SETTINGS}
    return train_once(
        factory, f"{task}_trees", task, model=model, training=training or {}, encoding="trees"
    )


@pytest.fixture(scope="session")
def binary_trees(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train_small(
        tmp_path_factory, "binary", {"class_weights": "balanced", "optimizer": "sgd"}
    )


@pytest.fixture(scope="session")
def multiclass_trees(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train_small(tmp_path_factory, "multiclass")


@pytest.fixture(scope="session")
def regression_trees(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train_small(tmp_path_factory, "regression")
