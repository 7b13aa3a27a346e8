"""Checks and trims TFX's specification to what the backend can parse and run."""

from __future__ import annotations

import copy

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.spec import (
    Spec,
    changes_a_copy,
    containers_of,
    executors_of,
)

SCHEMA_VERSION = "2.1.0"


def unwrap_pipeline_spec(job: Spec) -> Spec:
    """Returns the PipelineSpec inside TFX's PipelineJob.

    The backend refuses a PipelineJob as an unknown template format.
    """
    return copy.deepcopy(job.get("pipelineSpec", job))


def check_schema_version(spec: Spec) -> Spec:
    """Returns `spec` if it has the schema version 2.1.0, the only version that the backend reads.

    Raises:
      ConfigError: `spec` has another version; 2.0.0, for example, writes constants in another form.
    """
    version = spec.get("schemaVersion")
    if version != SCHEMA_VERSION:
        raise ConfigError(
            f"the pipeline has the schema version {version}, but Kubeflow runs {SCHEMA_VERSION}"
        )
    return spec


def refuse_nodes_without_container(spec: Spec) -> Spec:
    """Returns `spec` if every node has a container.

    The backend has no executor for TFX's Resolver. The DAG does not use Resolvers.

    Raises:
      ConfigError: a node has no container.
    """
    for label, executor in sorted(executors_of(spec).items()):
        if "container" not in executor:
            raise ConfigError(
                f"{label} is of the kind {', '.join(executor) or 'unknown'}; "
                "Kubeflow runs only components that have a container"
            )
    return spec


@changes_a_copy
def drop_driver_hooks(spec: Spec) -> None:
    """Removes the hooks by which TFX asks the backend to run a component's driver.

    Open-source Kubeflow does not run the hooks, and spans would stay unresolved. The entrypoint
    runs the driver inside the task instead.
    """
    for _, container in containers_of(spec):
        container.pop("lifecycle", None)
