"""Tuner: TFX's Tuner, with trials in processes of their own."""

from __future__ import annotations

from tfx.components.tuner.component import Tuner as TfxTuner
from tfx.dsl.components.base import executor_spec

from components.tuner.executor import Executor


class Tuner(TfxTuner):
    """Searches for the values of keys of `model` and `training` that train the best model.

    In the DAG it is TFX's Tuner: the same inputs and outputs. `tuner_fn` is the path of a function
    that runs one trial, such as `trainer_module.trial.train_trial`. `custom_config` must hold the
    configuration's sections as JSON, and `backup_directory`: there, an interrupted search
    continues. TFX's own executor runs no trials in parallel, and keeps no trial when it is
    interrupted.
    """

    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)
