"""Makes KerasTuner's oracles, which choose the values of the next trial."""

from __future__ import annotations

import sys
from typing import Any

import keras_tuner
from keras_tuner import oracles

from components.tuner.search_space import make_hyperparameters
from pipeline.config.sections.metrics import METRICS
from pipeline.config.sections.tuning import TuningConfig


def make_oracle(tuning: TuningConfig, epochs: int, directory: str) -> keras_tuner.Oracle:
    """Returns the oracle of the tuning section, for trials of at most `epochs` epochs.

    The oracle writes files to `directory` that nobody reads: `SearchState` keeps its state.
    """
    metric = METRICS.get(tuning.objective)
    arguments: dict[str, Any] = {
        "objective": keras_tuner.Objective(
            get_objective_name(tuning), "max" if metric and metric.higher_is_better else "min"
        ),
        "hyperparameters": make_hyperparameters(tuning.search),
        # Plus one, since KerasTuner draws a random seed for seed 0.
        "seed": tuning.seed + 1,
        "max_retries_per_trial": tuning.max_retries,
        # The oracle never gives up. `Search` decides that, since it knows why trials fail.
        "max_consecutive_failed_trials": sys.maxsize,
    }
    if tuning.algorithm == "hyperband":
        oracle = oracles.HyperbandOracle(max_epochs=epochs, **arguments)
    elif tuning.algorithm == "bayesian":
        oracle = oracles.BayesianOptimizationOracle(max_trials=tuning.trials, **arguments)
    else:
        oracle = oracles.RandomSearchOracle(max_trials=tuning.trials, **arguments)
    oracle.verbose = 0
    # A private method, as KerasTuner's own tuners use it: there is no public one.
    oracle._set_project_dir(directory, "oracle")
    return oracle


def get_objective_name(tuning: TuningConfig) -> str:
    """Returns the objective's name among a trial's measures, such as `eval_loss`."""
    return f"eval_{tuning.objective}"
