"""Kubeflow's driver: resolves a task's inputs, provisions its outputs, computes its cache key."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.core.errors import PipelineError
from pipeline.runners.kfp_local.bucket import staged_path
from pipeline.runners.kfp_local.spec import Json, Task
from pipeline.runners.kfp_local.state import Outputs, State
from pipeline.runners.kfp_local.values import check_input

LOGS = "executor-logs"
_LOGS_TYPE = {"schemaTitle": "system.Artifact"}


@dataclass(frozen=True)
class Run:
    """One run of a pipeline."""

    pipeline: str
    identity: str
    root: str
    """The URI below which the run stores its artifacts."""
    parameters: Mapping[str, Any]
    state: State

    def constants(self, task: str) -> dict[str, str]:
        """Returns the values of the placeholders that may stand for a whole constant."""
        return {
            "{{$.pipeline_job_name}}": self.pipeline,
            "{{$.pipeline_job_resource_name}}": f"{self.pipeline}-{self.identity}",
            "{{$.pipeline_job_uuid}}": self.identity,
            "{{$.pipeline_task_name}}": task,
        }


def resolve_inputs(task: Task, run: Run, done: Mapping[str, Outputs]) -> Json:
    """Returns the `inputs` of the ExecutorInput.

    Raises:
      PipelineError: a parameter has no value, or a value of the wrong type.
    """
    sources = task.spec.get("inputs", {})
    parameters = {
        name: _resolve_parameter(source, task, run, done)
        for name, source in sources.get("parameters", {}).items()
    }
    artifacts = {}
    for name, source in sources.get("artifacts", {}).items():
        producer = source["taskOutputArtifact"]
        number = done[producer["producerTask"]].artifacts[producer["outputArtifactKey"]]
        artifacts[name] = {"artifacts": [run.state.artifact(number)]}
    return {
        "parameterValues": _check_types(task, parameters),
        "artifacts": artifacts,
    }


def _resolve_parameter(source: Json, task: Task, run: Run, done: Mapping[str, Outputs]) -> Any:
    if "componentInputParameter" in source:
        return run.parameters[source["componentInputParameter"]]
    if "taskOutputParameter" in source:
        producer = source["taskOutputParameter"]
        return done[producer["producerTask"]].parameters[producer["outputParameterKey"]]
    constant = source["runtimeValue"]["constant"]
    placeholders = run.constants(task.name)
    return placeholders.get(constant, constant) if isinstance(constant, str) else constant


def _check_types(task: Task, values: Mapping[str, Any]) -> Json:
    definitions = task.inputs("parameters")
    for name, definition in definitions.items():
        required = "defaultValue" not in definition and not definition.get("isOptional")
        if name not in values and required:
            raise PipelineError(f"task {task.name}: no value for parameter {name}")
    return {
        name: check_input(name, definitions[name]["parameterType"], value)
        for name, value in values.items()
    }


def provision_outputs(task: Task, run: Run) -> Json:
    """Returns the `outputs` of the ExecutorInput, with URIs that no other execution uses.

    The paths of files are those in a pod, where the staging directories are at the root.
    """
    root = Path("/")
    folder = f"{run.root}/{task.name}/{uuid.uuid4()}"
    types = {name: output["artifactType"] for name, output in task.outputs("artifacts").items()}
    artifacts = {
        name: {"artifacts": [{"name": name, "type": kind, "uri": f"{folder}/{name}"}]}
        for name, kind in {**types, LOGS: _LOGS_TYPE}.items()
    }
    files = {name: str(root / "tmp/kfp/outputs" / name) for name in task.outputs("parameters")}
    return {
        "artifacts": artifacts,
        "parameters": {name: {"outputFile": path} for name, path in files.items()},
        "outputFile": str(staged_path(folder, root) / "output_metadata.json"),
    }


def compute_cache_key(task: Task, executor_input: Json) -> str:
    """Returns the cache key of an execution, a SHA-256 digest as Kubeflow computes it.

    The key covers the values of the input parameters, the names of the input artifacts (their
    numbers in the store), the definitions of the outputs without URIs, and of the container the
    image's name, the command with its placeholders, and the claims. The key covers neither the
    content of artifacts nor the code in the image.
    """
    inputs, outputs = executor_input["inputs"], executor_input["outputs"]
    key = {
        "inputArtifactNames": {
            name: [artifact["name"] for artifact in artifacts["artifacts"]]
            for name, artifacts in inputs["artifacts"].items()
        },
        "inputParameterValues": inputs["parameterValues"],
        "outputArtifactsSpec": {
            name: {k: v for k, v in artifacts["artifacts"][0].items() if k != "uri"}
            for name, artifacts in outputs["artifacts"].items()
        },
        "outputParametersSpec": {
            name: definition["parameterType"]
            for name, definition in task.outputs("parameters").items()
        },
        "containerSpec": {
            "image": task.container["image"],
            "cmdArgs": task.command,
            "pvcNames": sorted({volume.claim for volume in task.volumes}),
        },
    }
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
