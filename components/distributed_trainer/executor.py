"""Starts and supervises the workers of a training; this process never runs training code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.dsl.io import fileio
from tfx.types import artifact_utils, standard_component_specs
from tfx.utils import json_utils, path_utils

from components.distributed_trainer.kubernetes.shared_copies import (
    remove_abandoned_copies,
    share_artifacts,
)
from components.distributed_trainer.kubernetes.trainer_watch import TRAINER_LOCK_VARIABLE
from components.distributed_trainer.training_job import TrainingJob
from components.supervision.platform_interface import Launcher
from components.supervision.processes import ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.config import TrainingConfig, WorkersConfig
from pipeline.core.contracts import CustomConfigKey
from pipeline.core.errors import PipelineError
from pipeline.core.ownership import TRAINING, lock_path, own_backup


class Executor(base_executor.BaseExecutor):
    """Starts the workers, restarts all when one is lost, and checks that they exported a model.

    Raises ConfigError, before it changes any file, while another Trainer trains the same model.
    """

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        custom_config = json_utils.loads(
            exec_properties[standard_component_specs.CUSTOM_CONFIG_KEY]
        )
        training = TrainingConfig.model_validate(
            json.loads(custom_config[CustomConfigKey.TRAINING])
        )
        job = TrainingJob(input_dict, output_dict, exec_properties)
        backups = custom_config[CustomConfigKey.BACKUP_DIRECTORY]
        # Between two attempts no worker owns the backup. The Trainer therefore owns it in its turn,
        # and with it the shared copies, whose directory has the same key.
        name = f"trainer-{job.compute_key()}"
        with own_backup(backups, name, TRAINING):
            if CustomConfigKey.WORKERS in custom_config:
                workers = WorkersConfig.model_validate_json(custom_config[CustomConfigKey.WORKERS])
                # The pods end when nobody holds this lock: a killed Trainer cannot end them.
                variables = {**workers.env, TRAINER_LOCK_VARIABLE: str(lock_path(backups, name))}
                workers = workers.model_copy(update={"env": variables})
                _train_in_pods(job, training, workers, backups)
            else:
                network = training.private_network if training.has_servers else None
                launcher = ProcessLauncher(job.to_line(), training.tasks, network=network)
                _train(job, training, launcher)


def _train(job: TrainingJob, training: TrainingConfig, launcher: Launcher) -> None:
    recovery = training.recovery
    supervise(launcher, Policy(recovery.max_restarts, recovery.stall_seconds))
    model = artifact_utils.get_single_uri(job.outputs[standard_component_specs.MODEL_KEY])
    if not fileio.exists(path_utils.serving_model_dir(model)):
        raise PipelineError("all workers succeeded, but no worker has exported a model")


def _train_in_pods(
    job: TrainingJob, training: TrainingConfig, workers: WorkersConfig, backups: str
) -> None:
    # Importing the Kubernetes client takes a second, which other trainings do not need to pay.
    from components.distributed_trainer.kubernetes.api import Api
    from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher

    api, key = Api.connect(workers.patience_seconds), job.compute_key()

    def make_launcher(job: TrainingJob) -> KubernetesLauncher:
        return KubernetesLauncher(api, job.to_line(), key, training.tasks, workers)

    # Before the copies, which the workers of a killed Trainer may still be reading.
    launcher = make_launcher(job)
    trainer_pod = launcher.take_over()
    copies = str(Path(backups).with_name("copies"))
    remove_abandoned_copies(copies, launcher.is_running)
    owner = {"name": trainer_pod.name, "uid": trainer_pod.uid}
    with share_artifacts(job, workers.volumes, f"{copies}/{key}", owner) as shared_job:
        _train(shared_job, training, make_launcher(shared_job))
