"""Runs the DAG with TFX's LocalDagRunner and reads the outcome from its outputs."""

from __future__ import annotations

import dataclasses
import datetime
import logging
import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import tensorflow as tf
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd
from tfx.dsl.compiler.constants import PIPELINE_RUN_ID_PARAMETER_NAME
from tfx.orchestration import metadata as tfx_metadata
from tfx.orchestration.local.local_dag_runner import LocalDagRunner
from tfx.orchestration.metadata import sqlite_metadata_connection_config
from tfx.orchestration.portable.runtime_parameter_utils import substitute_runtime_parameter
from tfx.utils.path_utils import serving_model_path

from components.evaluator.results import explain_failures, read_metrics
from components.findings.findings import read_findings
from components.model_exports.results import read_results as read_exports
from components.predictions.gaps.gaps_file import list_unjudged_gaps
from components.push_history.decline import list_declines
from components.push_history.inputs import list_input_changes
from components.pusher.versions import remove_unfinished_push
from components.quick_beam import quicken_beam
from components.served_model.lock import lock_serving
from components.served_model.served_record import read_record_artifact
from components.served_model.version_records import refuse_lost_pointer
from components.served_model.waiting import find_waiting
from components.serving_check.bare_model import end_ahead, start_ahead
from components.serving_check.blessing import read_result
from components.tuner.results import read_results
from pipeline.config import Config, TrainingConfig
from pipeline.config.rules.accelerators import require_gpu
from pipeline.core.code_digest import unchanged_sources
from pipeline.core.contracts import ArtifactFile, Channel, EvaluatedModel, Node, Property
from pipeline.core.error_causes import is_disk_full, is_given_up
from pipeline.core.errors import (
    WAITING,
    ConfigError,
    NotBlessedError,
    ServingCheckError,
    WithdrawnError,
)
from pipeline.core.events import DataChecked, ExportResult, RunEnded, WithdrawnModel, emit
from pipeline.dag import Target, create_pipeline
from pipeline.runners.engine_check import check_workers
from pipeline.runners.local.description import describe_pipeline
from pipeline.runners.local.job import Job
from pipeline.runners.local.launcher import ComponentError, replace_launcher
from pipeline.runners.served_resolution import (
    resolve_served_model,
    resolve_split,
    resolve_withdrawal,
)
from pipeline.runners.workspace import metadata
from pipeline.runners.workspace.backups import read_backup_name, sweep_backups
from pipeline.runners.workspace.database import DATABASE_HINT
from pipeline.runners.workspace.deletion import sweep_deleted
from pipeline.runners.workspace.on_store.fetching import fetch
from pipeline.sources import compute_input_fingerprint

_BEFORE_CHECK = (Node.EVALUATOR, Node.MODEL_FIGURES)
"""The first of these that is not cached leaves a core idle while the process starts."""


def run_dag(config: Config, job: Job) -> RunEnded:
    """Runs every component that is not cached, and returns the outcome.

    Raises:
      ConfigError: this machine lacks a GPU of `training.devices`, or cannot use the metadata file.
      ComponentError: a component failed; the component's own exception is the cause.
    """
    _check_gpus(config.training)
    quicken_beam()
    connection = sqlite_metadata_connection_config(job.metadata)
    _clean_up_after_killed_runs(connection, job)
    check_workers(config, job.artifacts)
    fingerprint = compute_input_fingerprint(config.data)
    run_id = datetime.datetime.now().isoformat()
    with unchanged_sources():
        target = Target(
            pipeline_root=job.artifacts,
            serving_directory=job.serving,
            backup_directory=job.backups,
            resolved=resolve_served_model(config, job.serving, fingerprint),
            withdrawal=resolve_withdrawal(config, job.serving, fingerprint),
            reference_split=resolve_split(config, job.serving, fingerprint),
            query_answer_id=fingerprint,
            run=run_id,
            metadata=connection,
        )
        pipeline = create_pipeline(config, target, job.until)
    emit(describe_pipeline(pipeline, run_id))
    nodes = [node.id for node in pipeline.components]
    with replace_launcher(partial(_prepare, nodes), partial(fetch, Path(job.metadata).parent)):
        try:
            _Runner(run_id).run(pipeline)
            # The run is complete: from now on, an interruption must not turn it into a failure.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        except ComponentError as error:
            if error.component == Node.BATCH_PREDICTOR:
                error.verdict = _read_outcome(connection, job, run_id)
            raise
        finally:
            end_ahead()
            _clean_up(connection, job, run_id)
    return _read_outcome(connection, job, run_id)


def _prepare(nodes: Sequence[str], node: str) -> None:
    """Starts the serving check's process early: its imports take longer than the check."""
    if node in _BEFORE_CHECK and Node.SERVING_CHECK in nodes:
        start_ahead()


def _read_outcome(connection: mlmd.ConnectionConfig, job: Job, run_id: str) -> RunEnded:
    """Returns the outcome of a run, and removes the backups of its finished trainings."""
    with tfx_metadata.Metadata(connection) as handle:
        outputs = _get_all_outputs(handle.store, run_id)
    tuning = None
    if Node.TUNER in outputs:
        tuning = read_results(outputs[Node.TUNER][Channel.TUNER_RESULTS].uri)
    published = [tuning.search] if tuning else []
    if Node.TRAINER in outputs:
        published.append(read_backup_name(Path(outputs[Node.TRAINER][Channel.MODEL_RUN].uri)))
    if published:
        sweep_backups(Path(job.backups), published)
    schema = os.path.join(outputs[Node.SCHEMA_CURATOR][Channel.SCHEMA].uri, ArtifactFile.SCHEMA)
    ended = RunEnded(exit_code=0, schema=schema, tuning=tuning)
    return _with_verdict(ended, outputs) if Node.PUSHER in outputs else ended


class _Runner(LocalDagRunner):
    """TFX's runner with an id that is known before the run, so that the first event has it."""

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id

    def run_with_ir(self, pipeline: Any, run_options: Any = None) -> None:
        bindings = {PIPELINE_RUN_ID_PARAMETER_NAME: self._run_id}
        substitute_runtime_parameter(pipeline, bindings)
        super().run_with_ir(pipeline, run_options)


def _check_gpus(training: TrainingConfig) -> None:
    """Raises ConfigError before any work on the data if the machine lacks a configured GPU."""
    if training.devices:
        require_gpu(max(training.devices), len(tf.config.list_physical_devices("GPU")))


def _clean_up_after_killed_runs(connection: mlmd.ConnectionConfig, job: Job) -> None:
    """Removes an unfinished push, unfinished executions and damaged artifacts.

    Raises:
      ConfigError: the pointer to the served model is gone, or the metadata file cannot be used,
        such as one of a newer version of MLMD.
      RuntimeError: the disk is full.
    """
    with lock_serving(job.serving):
        remove_unfinished_push(job.serving)
        refuse_lost_pointer(job.serving)
    try:
        # This upgrades a metadata file of an older version of MLMD.
        store = MetadataStore(connection, enable_upgrade_migration=True)
    except RuntimeError as error:
        if is_disk_full(error) or is_given_up(error):
            raise
        raise ConfigError(
            f"{job.metadata}: cannot be used: {str(error).strip()}",
            DATABASE_HINT,
        ) from error
    metadata.sweep_unfinished(store, Path(job.artifacts))
    metadata.sweep_damaged(store, Path(job.artifacts).parent)
    sweep_deleted(store, Path(job.artifacts).parent)


def _clean_up(connection: mlmd.ConnectionConfig, job: Job, run_id: str) -> None:
    """Cleans up after this run and sends the findings of the gate, also after a failure.

    An error in here is only logged, since it would hide the failure; the next run cleans up.
    """
    try:
        with tfx_metadata.Metadata(connection) as handle:
            metadata.sweep_unfinished(handle.store, Path(job.artifacts))
            _emit_findings(handle.store, run_id)
    except Exception:
        logging.exception("Cleaning up after the run failed")


def _emit_findings(store: MetadataStore, run_id: str) -> None:
    """Sends the findings of the gate, also if the gate stopped the run."""
    report = metadata.get_executions(store, run_id).get(Node.ANOMALY_REPORT)
    if metadata.get_state(report) in ("complete", "cached"):
        findings = read_findings(metadata.get_outputs(store, report)[Channel.FINDINGS].uri)
        emit(DataChecked(findings.checked_against, findings.findings))


def _get_all_outputs(store: MetadataStore, run_id: str) -> dict[str, dict[str, mlmd.Artifact]]:
    """Returns the output artifacts of a run, by node and key."""
    return {
        node: metadata.get_outputs(store, execution)
        for node, execution in metadata.get_executions(store, run_id).items()
    }


def _read_withdrawal(pushed_model: mlmd.Artifact) -> WithdrawnModel | None:
    version = metadata.get_property(pushed_model, Property.WITHDRAWN_VERSION)
    why = metadata.get_property(pushed_model, Property.WITHDRAWN)
    return WithdrawnModel(version, why) if version else None


def _with_verdict(ended: RunEnded, outputs: dict[str, dict[str, mlmd.Artifact]]) -> RunEnded:
    """Returns the outcome of a whole run, from the outputs of the components that decide."""
    evaluation = outputs[Node.EVALUATOR][Channel.EVALUATION].uri
    baseline = read_record_artifact(outputs[Node.BASELINE]["record"].uri)
    blessing = outputs[Node.EVALUATOR][Channel.BLESSING]
    model = outputs[Node.TRAINER]["model"]
    pushed_model = outputs[Node.PUSHER][Channel.PUSHED_MODEL]
    blessed = bool(metadata.get_property(blessing, Property.BLESSED))
    withdrawn = _read_withdrawal(pushed_model)
    destination = metadata.get_property(pushed_model, Property.PUSHED_DESTINATION)
    # A candidate may have been promoted since the cached push.
    waiting = destination and find_waiting(destination)
    checked = outputs.get(Node.SERVING_CHECK)
    check = read_result(checked[Channel.BLESSING].uri) if checked else None
    return dataclasses.replace(
        ended,
        exit_code=_choose_exit_code(blessed, check is None or check.passed, waiting, withdrawn),
        serving_check=check,
        blessed=blessed,
        pushed=None if waiting else destination,
        waiting=waiting,
        withdrawn=withdrawn,
        metrics=read_metrics(evaluation),
        baseline_metrics=read_metrics(evaluation, EvaluatedModel.BASELINE).get("", {}),
        missed=tuple(explain_failures(evaluation)),
        exports=_read_exports(outputs),
        warnings=(
            *list_unjudged_gaps(evaluation),
            *list_declines(evaluation, baseline),
            *list_input_changes(serving_model_path(model.uri), baseline),
        ),
    )


def _choose_exit_code(
    blessed: bool, servable: bool, waiting: str | None, withdrawn: WithdrawnModel | None
) -> int:
    if not blessed:
        return NotBlessedError.exit_code
    if not servable:
        return ServingCheckError.exit_code
    if waiting:
        return WAITING
    return WithdrawnError.exit_code if withdrawn else 0


def _read_exports(outputs: dict[str, dict[str, mlmd.Artifact]]) -> tuple[ExportResult, ...]:
    if Node.MODEL_EXPORTER not in outputs:
        return ()
    return read_exports(outputs[Node.MODEL_EXPORTER][Channel.EXPORTS].uri)
