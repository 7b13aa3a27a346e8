"""DistributedTrainer: TFX's Trainer, with training in processes of its own."""

from __future__ import annotations

from tfx.components.trainer.component import Trainer
from tfx.dsl.components.base import executor_spec

from components.distributed_trainer.executor import Executor


class DistributedTrainer(Trainer):
    """Runs `run_fn` in several processes that train one model together.

    In the DAG it is a Trainer: the same inputs and outputs, and one execution. Each process finds
    TF_CONFIG in its environment. `custom_config` must hold the training section as JSON under
    `training`; with the section `workers`, each worker is a Kubernetes pod.
    """

    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)
