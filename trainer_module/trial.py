"""A trial of the search: fits a model as the Trainer would, and tells how good it became.

Imports no TFX: a trial is a process of its own, and half of TFX's start would be wasted on it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trainer_module.fit.backup import Backup
from trainer_module.fit.training import fit
from trainer_module.fit_setup import set_up_fit
from trainer_module.sections import Sections


@dataclass(frozen=True)
class TrialInputs:
    """What all trials of a search have in common."""

    train_files: Sequence[str]
    eval_files: Sequence[str]
    transform_graph_path: str
    custom_config: Mapping[str, Any]
    base_model: str | None
    """The model to start from; None to start from chance."""


def train_trial(
    inputs: Mapping[str, Any], values: Mapping[str, Any], epochs: int, directory: str
) -> dict[str, float]:
    """Trains with these values, for at most so many epochs, and gives the best epoch's numbers.

    `inputs` holds the fields of TrialInputs. The fit goes on from the backup in `directory`, be it
    of an interrupted run or of fewer epochs. A schedule of the learning rate is that of the whole
    training, of which the trial may be a part.

    Raises:
      DataError: if a split is empty, or holds labels that are none.
      PipelineError: if training diverges.
    """
    trial_inputs = TrialInputs(**inputs)
    sections = Sections(
        trial_inputs.custom_config, {**values, **_single_process_values(trial_inputs)}
    )
    setup = set_up_fit(trial_inputs, sections)
    with setup.model.distribute_strategy.scope():
        backup = Backup(setup.model, os.path.join(directory, "backup"), is_chief=True)
    training = sections.training.model_copy(update={"epochs": epochs})
    fit(setup.model, setup.data, backup, training, directory, setup.make_copy)
    state = backup.state
    assert state.best_epoch is not None
    best = state.epochs[state.best_epoch]
    measured = {name: value for name, value in best.items() if name.startswith("eval_")}
    return measured | {"epochs": len(state.epochs), "steps": state.epochs[-1]["steps"]}


def _single_process_values(inputs: TrialInputs) -> dict[str, Any]:
    """What lets a trial be one process where training is several."""
    training = Sections(inputs.custom_config).training
    if training.workers == 1 and training.strategy not in ("multi_worker", "parameter_server"):
        return {}
    return {"training.workers": 1, "training.strategy": "auto", "training.parameter_servers": None}
