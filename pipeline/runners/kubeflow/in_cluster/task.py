"""Runs one TFX component on the ExecutorInput that Kubeflow passes."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence

from tfx.utils import import_utils

from components.engine.leftovers import sweep_leftovers
from pipeline.core.environment import RUN_VARIABLE
from pipeline.runners.kubeflow.in_cluster.artifacts import Artifacts, read_artifacts, write_artifact
from pipeline.runners.kubeflow.in_cluster.drivers import run_driver
from pipeline.runners.kubeflow.in_cluster.invocation import (
    Flags,
    Json,
    fill_in_input_types,
    read_properties,
    replace_uris_by_paths,
    split_off_kubeflow_outputs,
)
from pipeline.runners.kubeflow.in_cluster.outputs import write_executor_output
from pipeline.runners.kubeflow.in_cluster.publishing import publish_reports
from pipeline.runners.kubeflow.in_cluster.recording import Result
from pipeline.runners.kubeflow.in_cluster.results import describe_result
from pipeline.runners.kubeflow.in_cluster.training_tasks import progress_in_log, release_backup


def run_task(node_id: str, executor_input: Json, arguments: Sequence[str]) -> Result:
    """Runs the component, writes its output artifacts for Kubeflow, and returns its result.

    Raises:
      PipelineError: a failure that a user can fix, including the component's own errors.
    """
    flags = Flags.parse(arguments)
    reduced, kubeflow_outputs = split_off_kubeflow_outputs(executor_input)
    invocation = replace_uris_by_paths(fill_in_input_types(reduced, flags.inputs_spec))
    inputs = read_artifacts(invocation["inputs"].get("artifacts", {}))
    outputs = read_artifacts(invocation["outputs"].get("artifacts", {}))
    properties = read_properties(executor_input)
    with run_driver(flags.executor_class, properties, outputs), progress_in_log(node_id):
        _execute(flags, inputs, outputs, properties)
    artifacts = {name: write_artifact(artifact) for name, [artifact] in outputs.items()}
    artifacts |= publish_reports(node_id, inputs, outputs, kubeflow_outputs)
    write_executor_output(executor_input["outputs"]["outputFile"], artifacts)
    release_backup(node_id, properties, outputs)
    return describe_result(node_id, inputs, outputs)


def _execute(flags: Flags, inputs: Artifacts, outputs: Artifacts, properties: Json) -> None:
    for [artifact] in outputs.values():
        # The launcher creates only the parent directory.
        os.makedirs(artifact.uri, exist_ok=True)
    executor_class = import_utils.import_class_by_path(flags.executor_class)
    if "apache_beam" in sys.modules:  # Other components need no Beam, whose import takes seconds.
        from components.quick_beam import quicken_beam

        quicken_beam()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        # The first argument holds Beam's flags; a component without Beam gets its own flags.
        context = executor_class.Context(
            list(flags.extra),
            tmp_dir=temporary,
            unique_id="task",
            pipeline_run_id=os.environ.get(RUN_VARIABLE, ""),
        )
        executor_class(context).Do(inputs, outputs, properties)
    for [artifact] in outputs.values():
        sweep_leftovers(artifact.uri)
