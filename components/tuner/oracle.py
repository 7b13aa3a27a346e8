"""KerasTuner's oracles: what decides on the values of the next trial."""

from __future__ import annotations

import sys
from typing import Any

import keras_tuner
from keras_tuner import oracles

from components.tuner.search_space import hyperparameters
from pipeline.config.sections.metrics import METRICS
from pipeline.config.sections.tuning import TuningConfig


def make_oracle(tuning: TuningConfig, epochs: int, directory: str) -> keras_tuner.Oracle:
    """The oracle of the tuning section, for trials of at most so many epochs.

    It keeps files in `directory`, of which nothing is needed later: see `SearchState`.
    """
    metric = METRICS.get(tuning.objective)
    arguments: dict[str, Any] = {
        "objective": keras_tuner.Objective(
            measure_of(tuning), "max" if metric and metric.higher_is_better else "min"
        ),
        "hyperparameters": hyperparameters(tuning.search),
        # KerasTuner takes 0 for none, and draws one.
        "seed": tuning.seed + 1,
        "max_retries_per_trial": tuning.max_retries,
        # Whether to give up is decided where the causes of failures are known.
        "max_consecutive_failed_trials": sys.maxsize,
    }
    if tuning.algorithm == "hyperband":
        oracle = oracles.HyperbandOracle(max_epochs=epochs, **arguments)
    elif tuning.algorithm == "bayesian":
        oracle = oracles.BayesianOptimizationOracle(max_trials=tuning.trials, **arguments)
    else:
        oracle = oracles.RandomSearchOracle(max_trials=tuning.trials, **arguments)
    oracle.verbose = 0
    # KerasTuner's own tuners do the same; there is no other way.
    oracle._set_project_dir(directory, "oracle")
    return oracle


def measure_of(tuning: TuningConfig) -> str:
    """The name of the objective among a trial's numbers."""
    return f"eval_{tuning.objective}"
