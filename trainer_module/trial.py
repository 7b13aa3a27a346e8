"""A trial of the Tuner's search: fits a model as the Trainer would and returns its metrics.

This module imports no TFX: each trial is a process, and TFX's imports would double its start-up
time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.config.sections.families.names import BLEND
from trainer_module.fit_setup import set_up_fit
from trainer_module.network_fit import fit_network
from trainer_module.sections import Sections


@dataclass(frozen=True)
class TrialInputs:
    """The inputs that all trials of a search share."""

    train_files: Sequence[str]
    eval_files: Sequence[str]
    transform_graph_path: str
    custom_config: Mapping[str, Any]
    base_model: str | None
    """Directory of the SavedModel whose weights training starts from; None for random weights."""


def train_trial(
    inputs: Mapping[str, Any], values: Mapping[str, Any], epochs: int, directory: str
) -> dict[str, float]:
    """Trains with `values` for at most `epochs` epochs and returns the best epoch's eval metrics.

    The result also holds `epochs` and `steps`, the numbers of epochs and steps trained. `inputs`
    holds the fields of TrialInputs. If `directory` has a backup, of an interrupted run or of a
    shorter trial, the fit continues from it. The learning rate schedule still spans
    `training.epochs`, not the trial's `epochs`.

    Raises:
      ConfigError: the devices or `model.family` cannot be used.
      DataError: a split is empty, or the training split has an invalid label.
      PipelineError: training diverges, or its backup cannot be restored.
    """
    trial_inputs = TrialInputs(**inputs)
    sections = Sections(
        trial_inputs.custom_config, {**values, **_single_process_values(trial_inputs)}
    )
    if sections.model.is_trees:
        from trainer_module.trees.run import train_trial as train_trees_trial

        return train_trees_trial(trial_inputs, sections, epochs, directory)
    setup = set_up_fit(trial_inputs, sections)
    if sections.model.family == BLEND:
        from trainer_module.blend.run import train_trial as train_blend_trial

        return train_blend_trial(trial_inputs, sections, setup, epochs, directory)
    training = sections.training.model_copy(update={"epochs": epochs})
    fitted = fit_network(setup, training, os.path.join(directory, "backup"), directory)
    assert fitted is not None, "a trial is the chief of its training"
    state = fitted.state
    assert state.best_epoch is not None
    best = state.epochs[state.best_epoch]
    measured = {name: value for name, value in best.items() if name.startswith("eval_")}
    return measured | {"epochs": len(state.epochs), "steps": state.epochs[-1]["steps"]}


def _single_process_values(inputs: TrialInputs) -> dict[str, Any]:
    """Returns values that make a trial of a multi-worker training run in a single process."""
    training = Sections(inputs.custom_config).training
    if training.workers == 1 and training.strategy not in ("multi_worker", "parameter_server"):
        return {}
    return {"training.workers": 1, "training.strategy": "auto", "training.parameter_servers": None}
