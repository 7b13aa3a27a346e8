"""Tuner: TFX's, with trials in processes of their own."""

from __future__ import annotations

from tfx.components.tuner.component import Tuner as TfxTuner
from tfx.dsl.components.base import executor_spec

from components.tuner.executor import Executor


class Tuner(TfxTuner):
    """Searches for the values of keys of `model` and `training` that train the best model.

    To the DAG it is TFX's Tuner: the same inputs and outputs. `tuner_fn` is the path of a function
    that runs one trial, such as `trainer_module.trial.train_trial`; `custom_config` has to hold
    the sections as JSON, and the directory of backups, where a search that was interrupted is
    taken up again. The stock executor has no parallel trials, and forgets them all when it ends.
    """

    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)
