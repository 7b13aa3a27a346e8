"""Makes the Report of a run on Kubeflow from the records of its tasks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from pipeline.config import Config
from pipeline.core.contracts import Node
from pipeline.core.errors import ConfigError
from pipeline.report.content import FORMAT, Report
from pipeline.runners.kubeflow.compiling.added_tasks.exit_task import GRAPH
from pipeline.runners.kubeflow.compiling.parameter_encoding import decode_parameter
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name
from pipeline.runners.kubeflow.page.advice import KubeflowPlace, deploy_again
from pipeline.runners.kubeflow.page.answers import answer
from pipeline.runners.kubeflow.page.run_view import RecordedRun, view_files, view_nodes
from pipeline.runners.kubeflow.run_overrides import apply_overrides, read_assignments
from pipeline.runners.kubeflow.run_records.cached_tasks import adopt_cached_tasks
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory, list_other_runs
from pipeline.runners.reporting.parts.components import list_components
from pipeline.runners.reporting.parts.data import describe_data
from pipeline.runners.reporting.parts.lineage import describe_lineage
from pipeline.runners.reporting.parts.quality import describe_quality
from pipeline.runners.reporting.parts.training import describe_training
from pipeline.runners.reporting.parts.verdict import describe_verdict
from pipeline.runners.reporting.reading.figures import read_all_figures


def gather_report(run: RecordedRun, parameters: Mapping[str, str]) -> Report:
    """Returns the report of a run whose tasks have ended.

    Args:
      parameters: of the exit task.
    """
    directory = run.directory
    files, nodes = view_files(run), view_nodes(run, in_store=False)
    figures = read_all_figures(nodes)
    components = list_components(files, nodes, figures.notes)
    quality = describe_quality(files, nodes, figures.model)
    verdict = describe_verdict(files, KubeflowPlace(files, parameters), components, quality)
    made_by = {record.run: record.run for record in run.records.values()}
    stored = view_nodes(run, in_store=True)
    lineage = describe_lineage(files, stored, made_by, directory.path)
    trainer = run.records.get(Node.TRAINER)
    is_cached = trainer is not None and trainer.state == "cached"
    training = describe_training(
        files, nodes, trainer.run if trainer and is_cached else None, lambda _: files
    )
    return Report(
        format=FORMAT,
        pipeline=run.config.name,
        run=directory.run,
        started=files.summary.started or "",
        seconds=files.summary.seconds,
        verdict=verdict,
        components=components,
        data=describe_data(files, figures.data, figures.model),
        training=training,
        quality=quality,
        lineage=dataclasses.replace(
            lineage,
            command=deploy_again(parameters),
            fingerprint=lineage.fingerprint or run.outcome("fingerprint", None),
        ),
        answers=tuple(answer(run.config, directory.run, training if is_cached else None)),
    )


def read_run(directory: RunDirectory, parameters: Mapping[str, str]) -> RecordedRun:
    """Returns the records of the run, in the order in which its tasks run.

    Copies the records of its cached tasks into `directory`.

    Args:
      parameters: of the exit task.
    """
    edges = json.loads(parameters[GRAPH])
    graph = {node: edges[node] for node in (PREPARE, *Node.ALL) if node in edges}
    config = _read_config(parameters)
    records = directory.read()
    digests = records[PREPARE].outcome.get("properties", {}) if PREPARE in records else {}
    properties = {node: digests.get(task_name(node), "") for node in graph}
    earlier = list_other_runs(directory) if config.kubeflow.cache else []
    records = adopt_cached_tasks(directory, graph, properties, earlier)
    return RecordedRun(
        directory, graph, {node: records[node] for node in graph if node in records}, config
    )


def _read_config(parameters: Mapping[str, str]) -> Config:
    """Returns the configuration of the run, or the compiled one if its overrides are wrong."""
    compiled = decode_parameter(parameters["config"])
    try:
        return apply_overrides(compiled, read_assignments(parameters))
    except ConfigError:
        return Config.model_validate_json(compiled)
