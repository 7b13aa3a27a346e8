"""The DAG's target on Kubeflow: its directories, Beam flags and training workers."""

from __future__ import annotations

from collections.abc import Mapping

from components.served_model.served_record import Role
from pipeline.config import Config
from pipeline.config.kubernetes.kubeflow import StorageConfig
from pipeline.config.kubernetes.pods import WorkersConfig
from pipeline.dag import Target
from pipeline.runners.kubeflow.compiling.required_settings import (
    require_prediction_output,
    require_serving_directory,
    require_shared_root,
    require_storage,
)

_PIPELINE_ROOT = "/kubeflow"
"""TFX requires a pipeline root. No task writes there: Kubeflow passes each task the URIs of its
output artifacts."""


def make_target(
    config: Config, resolved: Mapping[Role, str] | None = None, withdrawal: str = ""
) -> Target:
    """Returns the target of `config`.

    `resolved` names the served model for each role, and `withdrawal` the rollback that forbids the
    push. Only a task in the cluster can look them up, so the compiler leaves both out.

    Raises:
      ConfigError: `kubeflow.storage` is not set, or `serving.directory` or `prediction.output` is
        on no volume, or the workers of an engine cannot see the artifacts.
    """
    require_prediction_output(config)
    require_shared_root(config)
    storage = require_storage(config)
    home = f"{storage.path}/{config.name}"
    return Target(
        pipeline_root=_PIPELINE_ROOT,
        serving_directory=require_serving_directory(config),
        backup_directory=f"{home}/backups",
        resolved=resolved or {"reference": "", "baseline": ""},
        withdrawal=withdrawal,
        # On Vertex AI, there are no pods: workers are processes of the Trainer's machine.
        workers=None if config.kubeflow.platform == "vertex" else _add_storage(config, storage),
    )


def make_records_directory(config: Config) -> str:
    """Returns the directory where the tasks leave what the page of their run shows."""
    return f"{require_storage(config).path}/{config.name}/runs"


def _add_storage(config: Config, storage: StorageConfig) -> WorkersConfig:
    workers = config.kubeflow.workers
    volume = storage.as_volume()
    others = (v for v in workers.volumes if (v.claim, v.path) != (volume.claim, volume.path))
    return workers.model_copy(update={"volumes": (volume, *others)})
