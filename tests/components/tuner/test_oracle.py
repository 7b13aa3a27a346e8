"""The oracles minimize losses, maximize metrics, and Hyperband plans its trials as documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.tuner.oracle import get_objective_name, make_oracle
from pipeline.config import TuningConfig
from pipeline.config.rules.searchable_keys import count_first_trials

RATE = {"training.learning_rate": {"min": 0.0001, "max": 1.0, "log": True}}


@pytest.mark.parametrize(("objective", "direction"), [("loss", "min"), ("auc", "max")])
def test_a_loss_is_minimized_and_a_metric_maximized(
    tmp_path: Path, objective: str, direction: str
) -> None:
    config = TuningConfig.model_validate({"search": RATE, "objective": objective})
    oracle = make_oracle(config, 3, str(tmp_path))
    assert oracle.objective.name == get_objective_name(config) == f"eval_{objective}"
    assert oracle.objective.direction == direction


@pytest.mark.slow
@pytest.mark.parametrize("epochs", [3, 9, 20, 27, 100])
def test_hyperband_begins_as_many_trials_as_the_configuration_expects(
    tmp_path: Path, epochs: int
) -> None:
    config = TuningConfig.model_validate({"search": RATE, "algorithm": "hyperband"})
    oracle = make_oracle(config, epochs, str(tmp_path))
    brackets = range(oracle._get_num_brackets())
    assert count_first_trials(epochs) == sum(oracle._get_size(b, round_num=0) for b in brackets)
