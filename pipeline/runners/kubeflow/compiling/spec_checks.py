"""The form of the specification: what the backend parses, and what it has no executor for."""

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
    """TFX gives a PipelineJob, which the backend calls an unknown template format."""
    return copy.deepcopy(job.get("pipelineSpec", job))


def check_schema_version(spec: Spec) -> Spec:
    """The backend reads 2.1.0 and nothing else; of 2.0.0 the constants have another form.

    Raises:
      ConfigError: it was compiled to another.
    """
    version = spec.get("schemaVersion")
    if version != SCHEMA_VERSION:
        raise ConfigError(
            f"the pipeline was compiled to the schema {version}, and Kubeflow runs {SCHEMA_VERSION}"
        )
    return spec


def refuse_nodes_without_container(spec: Spec) -> Spec:
    """The backend has no executor for TFX's Resolver, and the DAG needs none.

    Raises:
      ConfigError: there is a node without a container.
    """
    for label, executor in sorted(executors_of(spec).items()):
        if "container" not in executor:
            raise ConfigError(
                f"{label} is of the kind {', '.join(executor) or 'unknown'}; "
                "on Kubeflow every node has to be a component with an executor"
            )
    return spec


@changes_a_copy
def drop_driver_hooks(spec: Spec) -> None:
    """Nobody runs them there: spans would stay unresolved. The entrypoint does, in the task."""
    for _, container in containers_of(spec):
        container.pop("lifecycle", None)
