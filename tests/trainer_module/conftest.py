"""Three small models, one a task, trained once: TensorFlow takes longer to start than to fit."""

from __future__ import annotations

import pytest
from tiny_models import Trained, train


@pytest.fixture(scope="session")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    root = tmp_path_factory.mktemp("binary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIPELINE_EVENTS", str(root / "events.jsonl"))
        return train(root, "binary", training={"epochs": 4, "learning_rate": 0.01})


@pytest.fixture(scope="session")
def multiclass(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train(tmp_path_factory.mktemp("multiclass"), "multiclass", training={"epochs": 2})


@pytest.fixture(scope="session")
def regression(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """From TFRecords, with the wide part left out."""
    return train(
        tmp_path_factory.mktemp("regression"),
        "regression",
        model={"family": "dnn", "dropout": 0.1},
        training={"epochs": 2, "optimizer": "adamw"},
        parquet=False,
    )
