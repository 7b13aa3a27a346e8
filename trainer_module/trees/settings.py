"""The parameters of LightGBM for the sections `model.trees` and `training`."""

from __future__ import annotations

import os
from typing import Any

from pipeline.config import LabelConfig, TrainingConfig
from pipeline.config.sections.families.trees import TreesConfig
from pipeline.core.processes import available_cores

_MOST_SEEDS = 2**31 - 1
"""LightGBM's seeds are signed integers of 32 bits."""
_TRIAL_THREADS = "TF_NUM_INTRAOP_THREADS"
"""The Tuner sets this variable to a trial's share of the cores."""

_LOSSES = {"binary": "binary_logloss", "multiclass": "multi_logloss", "regression": "l2"}
"""LightGBM's name of the loss, by task."""


def make_parameters(
    label: LabelConfig, trees: TreesConfig, training: TrainingConfig, rows: int
) -> dict[str, Any]:
    """Returns the parameters that all stages of a training on `rows` rows share."""
    parameters: dict[str, Any] = {
        # The tasks have the names of LightGBM's objectives.
        "objective": label.task,
        # `measures` computes the other metrics.
        "metric": [_LOSSES[label.task]],
        "learning_rate": trees.learning_rate,
        "num_leaves": trees.leaves,
        "max_depth": trees.depth or -1,
        "min_data_in_leaf": trees.min_leaf_rows,
        "bagging_fraction": trees.row_share,
        "bagging_freq": int(trees.row_share < 1),
        "feature_fraction": trees.column_share,
        "lambda_l1": trees.l1,
        "lambda_l2": trees.l2,
        "max_bin": trees.bins,
        "min_data_per_group": choose_category_rows(trees, rows),
        "cat_smooth": trees.category_smoothing,
        "cat_l2": trees.category_l2,
        "data_random_seed": training.seed % _MOST_SEEDS,
        "num_threads": count_threads(training),
        # The same seed then gives the same trees, with any number of threads.
        "deterministic": True,
        "force_row_wise": True,
        # With the filter, the columns of a dataset would depend on `min_leaf_rows`.
        "feature_pre_filter": False,
        "verbosity": -1,
    }
    if label.task == "multiclass":
        parameters["num_class"] = len(label.classes)
    return parameters


def make_stage_seeds(seed: int, stage: int) -> dict[str, int]:
    """Returns the seeds of the draws of rows and columns in one stage of a training."""
    return {
        "bagging_seed": (seed + stage) % _MOST_SEEDS,
        "feature_fraction_seed": (seed + stage + 1) % _MOST_SEEDS,
    }


def count_threads(training: TrainingConfig) -> int:
    """Returns `training.threads.intra_op`, else a trial's share of the cores, else all cores."""
    share = os.environ.get(_TRIAL_THREADS)
    return training.threads.intra_op or (int(share) if share else available_cores())


def choose_category_rows(trees: TreesConfig, rows: int) -> int:
    """Returns the fewest rows of a group of categories, for a training on `rows` rows.

    LightGBM's default of 100 would let a table of 200 rows split no category.
    """
    return trees.min_category_rows or min(max(rows // 50, 10), 100)
