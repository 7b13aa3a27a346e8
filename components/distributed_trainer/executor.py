"""Trains on many workers; this process only watches them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.dsl.io import fileio
from tfx.types import artifact_utils, standard_component_specs
from tfx.utils import json_utils, path_utils

from components.distributed_trainer.kubernetes.shared_copies import sweep_copies, within_reach
from components.distributed_trainer.training_job import Job
from components.supervision.launcher import Launcher
from components.supervision.processes import ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.config import TrainingConfig, WorkersConfig
from pipeline.core.errors import PipelineError


class Executor(base_executor.BaseExecutor):
    """Starts the workers, restarts them when one is lost, and checks that there is a model."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        custom_config = json_utils.loads(
            exec_properties[standard_component_specs.CUSTOM_CONFIG_KEY]
        )
        training = TrainingConfig.model_validate(json.loads(custom_config["training"]))
        job = Job(input_dict, output_dict, exec_properties)
        if "workers" in custom_config:
            pods = WorkersConfig.model_validate_json(custom_config["workers"])
            _train_in_pods(job, training, pods, custom_config["backup_directory"])
        else:
            _train(job, training, ProcessLauncher(job.to_line(), training.tasks))


def _train(job: Job, training: TrainingConfig, launcher: Launcher) -> None:
    recovery = training.recovery
    supervise(launcher, Policy(recovery.max_restarts, recovery.stall_seconds))
    model = artifact_utils.get_single_uri(job.outputs[standard_component_specs.MODEL_KEY])
    if not fileio.exists(path_utils.serving_model_dir(model)):
        raise PipelineError("all workers ended well, but none has exported a model")


def _train_in_pods(job: Job, training: TrainingConfig, pods: WorkersConfig, backups: str) -> None:
    # Its library takes a second to load.
    from components.distributed_trainer.kubernetes.api import Api
    from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher

    api, key = Api.connect(), job.key()

    def launcher(job: Job) -> KubernetesLauncher:
        return KubernetesLauncher(api, job.to_line(), key, training.tasks, pods)

    # Before anything is copied to where another Trainer of the same model may be at work.
    first = launcher(job)
    home = first.take_over()
    copies = str(Path(backups).with_name("copies"))
    sweep_copies(copies, first.is_at_work)
    owner = {"name": home.name, "uid": home.uid}
    with within_reach(job, pods.volumes, f"{copies}/{key}", owner) as reached:
        _train(reached, training, launcher(reached))
