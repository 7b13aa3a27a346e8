"""Runs one TFX component on what Kubeflow gave it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

from google.protobuf import json_format
from kfp.pipeline_spec import pipeline_spec_pb2
from tfx.dsl.components.base import base_beam_executor, base_executor
from tfx.orchestration.kubeflow.v2.container import kubeflow_v2_entrypoint_utils as tfx_utils
from tfx.orchestration.portable import outputs_utils
from tfx.types import Artifact
from tfx.utils import import_utils

from pipeline.runners.kubeflow.drivers import driven
from pipeline.runners.kubeflow.invocation import (
    Flags,
    Json,
    read_properties,
    with_input_types,
    with_paths,
    without_kubeflow_outputs,
)
from pipeline.runners.kubeflow.outputs import write_executor_output
from pipeline.runners.kubeflow.publishing import publish_reports

Artifacts = dict[str, list[Artifact]]


def run_task(node_id: str, executor_input: Json, arguments: Sequence[str]) -> None:
    """Runs the component, and tells Kubeflow what it made.

    Raises:
      PipelineError: what a user can mend, the component's own errors among it.
    """
    flags = Flags.parse(arguments)
    reduced, others = without_kubeflow_outputs(executor_input)
    typed = with_paths(with_input_types(reduced, flags.inputs_spec))
    invocation = pipeline_spec_pb2.ExecutorInput()
    json_format.ParseDict(typed, invocation, ignore_unknown_fields=True)
    names: dict[int, str] = {}
    inputs = tfx_utils.parse_raw_artifact_dict(invocation.inputs.artifacts, names)
    outputs = tfx_utils.parse_raw_artifact_dict(invocation.outputs.artifacts, names)
    properties = read_properties(executor_input)
    with driven(flags.executor_class, properties, outputs):
        _execute(flags, inputs, outputs, properties)
    outputs_utils.tag_output_artifacts_with_version(outputs)
    translated = tfx_utils.translate_executor_output(outputs, names)
    made = {name: _as_json(artifacts) for name, artifacts in translated.items()}
    made |= publish_reports(node_id, inputs, outputs, others)
    write_executor_output(executor_input["outputs"]["outputFile"], made)


def _execute(flags: Flags, inputs: Artifacts, outputs: Artifacts, properties: Json) -> None:
    for [artifact] in outputs.values():
        # The launcher makes only the directory above.
        os.makedirs(artifact.uri, exist_ok=True)
    executor_class = import_utils.import_class_by_path(flags.executor_class)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        context = _context(executor_class, flags.extra, temporary)
        executor_class(context).Do(inputs, outputs, properties)


def _context(executor_class: type[Any], flags: Sequence[str], temporary: str) -> Any:
    shared = {"tmp_dir": temporary, "unique_id": "task"}
    if issubclass(executor_class, base_beam_executor.BaseBeamExecutor):
        beam = base_beam_executor.BaseBeamExecutor
        return beam.Context(beam_pipeline_args=list(flags), **shared)
    return base_executor.BaseExecutor.Context(extra_flags=list(flags), **shared)


def _as_json(artifacts: Any) -> Json:
    [artifact] = artifacts.artifacts
    result: Json = json_format.MessageToDict(artifact)
    return result
