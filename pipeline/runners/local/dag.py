"""Runs the DAG with TFX's LocalDagRunner and says what came of it."""

from __future__ import annotations

import dataclasses
import logging
import os
import signal
from pathlib import Path

import tensorflow as tf
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd
from tfx.orchestration import metadata as tfx_metadata
from tfx.orchestration.local.local_dag_runner import LocalDagRunner
from tfx.orchestration.metadata import sqlite_metadata_connection_config

from components.anomaly_gate.findings import read_findings
from components.evaluator.verdict import explain_failures, read_metrics
from components.pusher.push import take_back
from components.served_model.lock import changing
from components.tuner.results import read_results
from pipeline.config import Config, TrainingConfig
from pipeline.config.rules.accelerators import require_gpu
from pipeline.core.errors import ConfigError, NotBlessedError
from pipeline.core.events import DataChecked, PipelineStarted, RunEnded, emit
from pipeline.dag import Target, create_pipeline
from pipeline.runners.beam_args import extra_beam_args
from pipeline.runners.local.job import Job
from pipeline.runners.local.launcher import observed_launches
from pipeline.runners.served_resolution import resolve_served
from pipeline.runners.workspace import metadata
from pipeline.runners.workspace.backups import read_backup_name, sweep_backups
from pipeline.sources import input_fingerprint


def run_dag(config: Config, job: Job) -> RunEnded:
    """Runs every component that is not cached, and returns the outcome.

    Raises:
      ConfigError: there are not the GPUs to train on.
      ComponentError: from the component's own exception.
    """
    _check_gpus(config.training)
    connection = sqlite_metadata_connection_config(job.metadata)
    _take_over(connection, job)
    fingerprint = input_fingerprint(config.data)
    target = Target(
        pipeline_root=job.artifacts,
        serving_directory=job.serving,
        backup_directory=job.backups,
        resolved=resolve_served(config, job.serving, fingerprint),
        beam_args=extra_beam_args(config),
        answer=fingerprint,
        metadata=connection,
    )
    pipeline = create_pipeline(config, target, job.until)
    emit(PipelineStarted(tuple(component.id for component in pipeline.components)))
    with observed_launches() as run_ids:
        try:
            LocalDagRunner().run(pipeline)
            # All is done: whoever asks to stop now is told so.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        finally:
            _tidy_up(connection, job, run_ids)
    with tfx_metadata.Metadata(connection) as handle:
        outputs = _all_outputs(handle.store, run_ids[0])
    tuning = read_results(outputs["Tuner"]["tuner_results"].uri) if "Tuner" in outputs else None
    published = [tuning.search] if tuning else []
    if "Trainer" in outputs:
        published.append(read_backup_name(Path(outputs["Trainer"]["model_run"].uri)))
    if published:
        sweep_backups(Path(job.backups), published)
    schema = os.path.join(outputs["SchemaCurator"]["schema"].uri, "schema.pbtxt")
    ended = RunEnded(exit_code=0, schema=schema, tuning=tuning)
    return _with_verdict(ended, outputs) if "Pusher" in outputs else ended


def _check_gpus(training: TrainingConfig) -> None:
    """Before the work on the data, which a training that cannot begin would waste."""
    if training.devices:
        require_gpu(max(training.devices), len(tf.config.list_physical_devices("GPU")))


def _take_over(connection: mlmd.ConnectionConfig, job: Job) -> None:
    """Clears what killed runs left, and what was damaged since.

    Raises:
      ConfigError: metadata is of a newer version.
    """
    with changing(job.serving):
        take_back(job.serving)
    try:
        # Of an older version, it is brought up to date.
        store = MetadataStore(connection, enable_upgrade_migration=True)
    except RuntimeError as error:
        raise ConfigError(
            f"{job.metadata}: cannot be used: {str(error).strip()}",
            "move it away and run again: the work is done anew, and what is served stays",
        ) from error
    metadata.sweep_unfinished(store, Path(job.artifacts))
    metadata.sweep_damaged(store, Path(job.artifacts).parent)


def _tidy_up(connection: mlmd.ConnectionConfig, job: Job, run_ids: list[str]) -> None:
    """Also after a failure, which matters more than one in here; the next run takes over."""
    try:
        with tfx_metadata.Metadata(connection) as handle:
            metadata.sweep_unfinished(handle.store, Path(job.artifacts))
            _emit_findings(handle.store, run_ids)
    except Exception:
        logging.exception("Not left in order")


def _emit_findings(store: MetadataStore, run_ids: list[str]) -> None:
    """What the gate found, also where it stopped the run."""
    report = metadata.get_executions(store, run_ids[0]).get("AnomalyReport") if run_ids else None
    if metadata.get_state(report) in ("complete", "cached"):
        findings = read_findings(metadata.get_outputs(store, report)["findings"].uri)
        emit(DataChecked(findings.checked_against, findings.findings))


def _all_outputs(store: MetadataStore, run_id: str) -> dict[str, dict[str, mlmd.Artifact]]:
    """The output artifacts of each node of a run, by node and key."""
    return {
        node: metadata.get_outputs(store, execution)
        for node, execution in metadata.get_executions(store, run_id).items()
    }


def _with_verdict(ended: RunEnded, outputs: dict[str, dict[str, mlmd.Artifact]]) -> RunEnded:
    """Returns the outcome of a whole run, from the Evaluator's and the Pusher's outputs."""
    evaluation = outputs["Evaluator"]["evaluation"].uri
    blessed = bool(metadata.get_property(outputs["Evaluator"]["blessing"], "blessed"))
    return dataclasses.replace(
        ended,
        exit_code=0 if blessed else NotBlessedError.exit_code,
        blessed=blessed,
        pushed=metadata.get_property(outputs["Pusher"]["pushed_model"], "pushed_destination"),
        metrics=read_metrics(evaluation),
        baseline_metrics=read_metrics(evaluation, "baseline").get("", {}),
        missed=tuple(explain_failures(evaluation)),
    )
