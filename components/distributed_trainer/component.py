"""DistributedTrainer: TFX's Trainer, on many workers."""

from __future__ import annotations

from tfx.components.trainer.component import Trainer
from tfx.dsl.components.base import executor_spec

from components.distributed_trainer.executor import Executor


class DistributedTrainer(Trainer):
    """Runs `run_fn` in processes of their own that train one model together.

    To the DAG it is a Trainer: the same inputs and outputs, one execution. Each process finds
    TF_CONFIG in its environment; `custom_config` has to hold the training section as JSON.
    """

    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)
