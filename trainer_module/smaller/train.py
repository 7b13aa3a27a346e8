"""Trains a finished network further, with pruning and rounding, and saves it for a converter."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from functools import partial
from typing import Any

import tf_keras

from pipeline.config import TrainingConfig
from trainer_module.fit.backup import Backup
from trainer_module.fit.loop import EpochPlan, choose_loop
from trainer_module.fit.training import compile_model, fit
from trainer_module.fit_setup import FitInputs, FitSetup, set_up_fit
from trainer_module.input.dataset import Start
from trainer_module.network_module import save_network
from trainer_module.sections import Sections
from trainer_module.smaller.model import SmallerModel
from trainer_module.smaller.pruning import Pruning, find_prunable, measure_zeros
from trainer_module.smaller.rounding import Rounding

_LEAST_STEPS = 500
"""The fewest steps in which the share of zeros rises: each weight that stays has to adapt."""
_LEARNING_RATE_SHARE = 0.3
"""The share of `training.learning_rate`. On the taxi table, the log loss of the model is .2230, and
with 80 % zeros .2272 at 1, .2205 at 0.3 and .2485 at 0.1; with rounding .2274, .2215 and .2227."""

ONE_PROCESS: Mapping[str, Any] = {
    "training.workers": 1,
    "training.strategy": "auto",
    "training.parameter_servers": None,
    "training.devices": None,
    # XLA compiles no step that assigns rounded weights for a while.
    "training.jit_compile": False,
    # The network is no longer the random one that needs a warm-up.
    "training.schedule.warmup_steps": 0,
}
"""Values with which a configuration for many workers trains in this process."""


def train_smaller(
    inputs: FitInputs, sections: Sections, prune: float | None, is_rounded: bool, directory: str
) -> float | None:
    """Trains the network of `inputs.base_model` further, and saves it in `directory`.

    The training ends as the first one did: by `training.epochs`, `training.seconds` or early
    stopping. With `prune`, the share of zeros rises before that. See `save_network` for what is
    saved.

    Args:
      inputs: Transform's output, and the model.
      sections: the configuration of the model, with the values of `ONE_PROCESS`.
      prune: the share of the prunable weights to set to 0; None for no pruning.
      is_rounded: whether to train with the rounding of 8 bits.
      directory: where the SavedModel is written.

    Returns:
      The share of the prunable weights that are 0; None without pruning.
    """
    config = _slow_down(sections.training)
    setup = set_up_fit(inputs, sections)
    network, steps = setup.model.network, setup.data.batching.steps
    rise = _count_rise_epochs(config, steps) if prune else 0
    pruning = Pruning(find_prunable(network), prune, rise * steps) if prune else None
    rounding = Rounding(network, find_prunable(network)) if is_rounded else None
    model = compile_model(
        network,
        setup.head,
        config.model_copy(update={"epochs": rise + config.epochs}),
        setup.data.batching,
        partial(SmallerModel, pruning=pruning, rounding=rounding),
    )
    _raise_share_of_zeros(model, setup, config, rise)
    with tempfile.TemporaryDirectory(prefix="smaller-") as scratch:
        backup = Backup(model, f"{scratch}/backup", is_chief=True)
        fit(model, setup.data, backup, config, scratch, lambda: model)
    # Without the rounded inputs of its layers, which the training added.
    saved = setup.build_network()
    saved.set_weights(network.get_weights())
    save_network(directory, saved, setup.head)
    return measure_zeros(saved) if prune else None


def _slow_down(config: TrainingConfig) -> TrainingConfig:
    return config.model_copy(update={"learning_rate": _LEARNING_RATE_SHARE * config.learning_rate})


def _count_rise_epochs(config: TrainingConfig, steps: int) -> int:
    return min(config.epochs, math.ceil(_LEAST_STEPS / steps))


def _raise_share_of_zeros(
    model: tf_keras.Model, setup: FitSetup, config: TrainingConfig, epochs: int
) -> None:
    """Trains while the share of zeros rises: no weights of these epochs are candidates."""
    if not epochs:
        return
    data = setup.data
    plan = EpochPlan(0, epochs, data.batching.steps, data.evaluation_batching.steps)
    run_loop = choose_loop(config.loop, model.distribute_strategy)
    model.first_bad_step.start(0)
    run_loop(model, data.training_batches(Start(0, 0)), data.evaluation_batches(), plan, [])
