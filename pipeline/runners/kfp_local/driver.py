"""What Kubeflow's driver does before a task: its inputs, its outputs' places, its cache key."""

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
    """The URI below which its artifacts lie."""
    parameters: Mapping[str, Any]
    state: State

    def constants(self, task: str) -> dict[str, str]:
        """The placeholders that stand for a whole constant."""
        return {
            "{{$.pipeline_job_name}}": self.pipeline,
            "{{$.pipeline_job_resource_name}}": f"{self.pipeline}-{self.identity}",
            "{{$.pipeline_job_uuid}}": self.identity,
            "{{$.pipeline_task_name}}": task,
        }


def resolve_inputs(task: Task, run: Run, done: Mapping[str, Outputs]) -> Json:
    """The `inputs` of the ExecutorInput.

    Raises:
      PipelineError: a value is missing or of the wrong type.
    """
    given = task.spec.get("inputs", {})
    parameters = {
        name: _parameter(source, task, run, done)
        for name, source in given.get("parameters", {}).items()
    }
    artifacts = {}
    for name, source in given.get("artifacts", {}).items():
        producer = source["taskOutputArtifact"]
        number = done[producer["producerTask"]].artifacts[producer["outputArtifactKey"]]
        artifacts[name] = {"artifacts": [run.state.artifact(number)]}
    return {
        "parameterValues": _check_types(task, parameters),
        "artifacts": artifacts,
    }


def _parameter(source: Json, task: Task, run: Run, done: Mapping[str, Outputs]) -> Any:
    if "componentInputParameter" in source:
        return run.parameters[source["componentInputParameter"]]
    if "taskOutputParameter" in source:
        producer = source["taskOutputParameter"]
        return done[producer["producerTask"]].parameters[producer["outputParameterKey"]]
    constant = source["runtimeValue"]["constant"]
    known = run.constants(task.name)
    return known.get(constant, constant) if isinstance(constant, str) else constant


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


def provision_outputs(task: Task, run: Run, staging: Path) -> Json:
    """The `outputs` of the ExecutorInput: everything under a name that no other execution has.

    `staging` is the root of the files as the task sees them.
    """
    place = f"{run.root}/{task.name}/{uuid.uuid4()}"
    types = {name: output["artifactType"] for name, output in task.outputs("artifacts").items()}
    artifacts = {
        name: {"artifacts": [{"name": name, "type": kind, "uri": f"{place}/{name}"}]}
        for name, kind in {**types, LOGS: _LOGS_TYPE}.items()
    }
    files = {name: str(staging / "tmp/kfp/outputs" / name) for name in task.outputs("parameters")}
    return {
        "artifacts": artifacts,
        "parameters": {name: {"outputFile": path} for name, path in files.items()},
        "outputFile": str(staged_path(place, staging) / "output_metadata.json"),
    }


def compute_cache_key(task: Task, executor_input: Json) -> str:
    """The key of the cache.

    The values of input parameters count, and the names of input artifacts, which are the numbers
    they have; of the outputs all but their places; of the container image and command, with its
    placeholders, and volumes. Neither the content of artifacts nor the code in the image counts.
    """
    inputs, outputs = executor_input["inputs"], executor_input["outputs"]
    key = {
        "inputArtifactNames": {
            name: [artifact["name"] for artifact in given["artifacts"]]
            for name, given in inputs["artifacts"].items()
        },
        "inputParameterValues": inputs["parameterValues"],
        "outputArtifactsSpec": {
            name: {k: v for k, v in given["artifacts"][0].items() if k != "uri"}
            for name, given in outputs["artifacts"].items()
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
