"""Boosters of LightGBM on random rows, for tests of their export."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from pipeline.config import LabelConfig, TrainingConfig
from pipeline.config.sections.families.trees import TreesConfig
from trainer_module.trees.boosting import Boosting
from trainer_module.trees.settings import make_parameters
from trainer_module.trees.table import Table

Rows = npt.NDArray[np.float32]

CATEGORIES = 40
NUMBERS = (0, 1, 2)
CATEGORICAL = (3, 4)


def make_rows(rows: int, seed: int, missing: float = 0.1) -> Rows:
    """Returns numbers of three kinds and two columns of categories, [rows, 5]."""
    random = np.random.default_rng(seed)
    table = np.stack(
        [
            random.normal(size=rows),
            random.integers(-3, 4, rows),
            random.lognormal(0, 3, rows),
            random.integers(0, CATEGORIES, rows),
            random.integers(0, 3, rows),
        ],
        axis=1,
    ).astype(np.float32)
    table[random.random(table.shape) < missing] = np.nan
    return table


def train_booster(
    rows: Rows, iterations: int = 8, classes: int = 1, **settings: Any
) -> lightgbm.Booster:
    """Returns a booster whose scores depend on all columns; `classes` scores a row."""
    random = np.random.default_rng(len(rows))
    known = np.nan_to_num(rows)
    effects = random.normal(size=CATEGORIES)[known[:, 3].astype(int)]
    score = known[:, 0] * known[:, 1] + np.sin(known[:, 2]) + 2 * effects + known[:, 4]
    chosen = {"objective": "regression"}
    if classes > 1:
        chosen = {"objective": "multiclass", "num_class": str(classes)}
        score = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    chosen |= {"verbosity": "-1", "num_threads": "1", "min_data_per_group": "5"}
    data = lightgbm.Dataset(rows, score, categorical_feature=list(CATEGORICAL))
    return lightgbm.train({**chosen, **settings}, data, iterations)


BINARY = {"column": "y", "task": "binary", "classes": ["a", "b"]}


def make_boosting(**settings: Any) -> Boosting:
    """Returns the boosting of a binary label on random rows, with settings of `model.trees`."""
    tables = []
    for seed in (0, 1):
        rows = make_rows(400, seed)
        noise = np.random.default_rng(seed).normal(size=400)
        targets = (np.nan_to_num(rows[:, 0]) + noise > 0).astype(np.float32)
        tables.append(Table(rows, targets, None))
    trees, training = TreesConfig(**settings), TrainingConfig()
    parameters = make_parameters(LabelConfig.model_validate(BINARY), trees, training, 400)
    return Boosting(*tables, list(CATEGORICAL), parameters, seed=0)
