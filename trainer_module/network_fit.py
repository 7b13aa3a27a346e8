"""Fits the network of a setup and copies it out of its strategy: for a model, or a blend's part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import tf_keras

from pipeline.config import TrainingConfig
from pipeline.core.events import WarmStarted, emit
from trainer_module.fit.backup import Backup, FitState, Weights
from trainer_module.fit.training import fit
from trainer_module.fit_setup import FitSetup


@dataclass(frozen=True)
class FittedNetwork:
    """A trained network, and how it was trained."""

    weights: Weights
    """The weights of the best epoch."""
    build: Callable[[], tf_keras.Model]
    """Builds an untrained copy of the network outside of any strategy."""
    state: FitState
    facts: Mapping[str, Any]
    """What the history says about the fit, beside its epochs."""

    @cached_property
    def network(self) -> tf_keras.Model:
        """A copy of the network outside of the strategy."""
        network = self.build()
        network.set_weights(self.weights)
        return network


def fit_network(
    setup: FitSetup,
    training: TrainingConfig,
    backup_directory: str,
    run_directory: str,
    steps_before: int = 0,
) -> FittedNetwork | None:
    """Trains the network from its backup on; returns None on each worker but the chief.

    Writes TensorBoard's files to `run_directory`. `steps_before` are those of other fits of the
    same training, for the supervisor.

    Raises:
      ConfigError: a worker of a parameter server training cannot hold the training split.
      PipelineError: training diverges, or its backup cannot be restored.
    """
    model, data = setup.model, setup.data
    with model.distribute_strategy.scope():
        backup = Backup(model, backup_directory, data.replicas.is_chief)
    if setup.warm_started and data.replicas.is_chief:
        emit(WarmStarted(**setup.warm_started))
    fit(model, data, backup, training, run_directory, setup.make_copy, steps_before)
    # All workers read the weights: reading synchronised variables can be a collective operation.
    weights = model.get_weights()
    if not data.replicas.is_chief:
        return None
    facts: dict[str, Any] = {**data.facts(), **setup.warm_started}
    if backup.state.is_out_of_time:
        facts["time_limit"] = training.seconds
    return FittedNetwork(weights, setup.build_network, backup.state, facts)
