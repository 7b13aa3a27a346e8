"""Starts the DAG process of a run, shows its events, and writes the summary.

This process never imports TensorFlow: so it refuses a wrong configuration within a second, and
TensorFlow's native libraries cannot write to the terminal.
"""

from __future__ import annotations

import contextlib
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from pathlib import Path

from components.columnar_example_gen.source_checks import check_source
from components.engine.readiness import check_engine
from components.model_exporter.packages import require_export_packages
from components.query_example_gen.credentials import require_credentials
from components.schema_curator.schema_text import parse_schema
from components.served_model.served_record import read_pointer_file
from pipeline.config import Config
from pipeline.config.rules.accelerators import require_tpu
from pipeline.config.rules.named_columns import check_named_columns
from pipeline.config.sections.metrics import metric_name
from pipeline.core.contracts import ArtifactFile, Node, RunFile
from pipeline.core.error_causes import disk_full_error, is_disk_full
from pipeline.core.events import EventReader, Failure
from pipeline.core.processes import INTERRUPTED, held_interruptions
from pipeline.runners.history.garbage.retention import apply_retention
from pipeline.runners.local.dag_process import DagProcess, end_dag_process, start_dag_process
from pipeline.runners.local.dag_process_main import DISK_FULL
from pipeline.runners.local.job import Job
from pipeline.runners.local.warm.client import check_place
from pipeline.runners.reporting.reading.record import write_record
from pipeline.runners.reporting.write import page_prepared_meanwhile, try_to_write_page
from pipeline.runners.workspace.on_store.errors import NotUploadedError
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.prediction_output import check_predictions
from pipeline.runners.workspace.serving_directory import check_serving_store
from pipeline.terminal.display import Display
from pipeline.terminal.summary import Summary

_POLL_SECONDS = 0.1
"""Seconds between two looks for events: short enough that the display seems to follow at once."""
_TRAIN = (None, Node.TUNER)
"""The last components of runs that train a model; None is the whole DAG."""


def run_local(
    config: Config,
    workspace: Workspace,
    display: Display,
    until: str | None = None,
    arguments: Sequence[str] = (),
    keep_warm: int | None = None,
) -> Summary:
    """Runs the pipeline in `workspace` and returns its summary, also if the run fails.

    Args:
      until: the last component to run; None runs all.
      arguments: of the user's command, for the record of the run.
      keep_warm: the minutes of `start_dag_process`.

    Raises:
      ConfigError: before any work, if the configuration does not fit the table, the directory or
        the machine.
      PipelineError: the disk is full.
    """
    if keep_warm is not None:
        check_place()
    if config.prediction is not None:
        check_predictions(workspace, config.prediction.output)
    summary: Summary | None = None
    try:
        with (
            _full_disk_named(workspace),
            _sigterm_as_interrupt(),
            workspace.lock() as locks,
            _temporary_directory() as temporary,
        ):
            _check(config, workspace, until)
            job = Job.of(config, workspace, temporary, until)
            started = partial(start_dag_process, job, locks=locks, keep_warm=keep_warm)
            summary = _run_job(job, started, config, workspace, display, arguments)
            # From here on, an interruption loses nothing of the run.
            _finish(summary, workspace, until, config.retention.keep_runs)
    except NotUploadedError as error:
        if summary is None:
            raise
        summary.error = Failure(error.message, error.hint)
        summary.exit_code = summary.exit_code or error.exit_code
    return summary


def _check(config: Config, workspace: Workspace, until: str | None) -> None:
    """Raises ConfigError before any work; the caller holds the lock of the workspace."""
    if workspace.store:
        check_serving_store(workspace.serving, workspace.store)
    _check_data(config, workspace)
    check_engine(config.engine)
    if until in _TRAIN and config.training.strategy == "tpu":
        require_tpu()
    if until is None:
        require_export_packages(config.exports)


def _finish(
    summary: Summary, workspace: Workspace, until: str | None, keep_runs: int | None
) -> None:
    """Writes the page of the run, and removes old runs."""
    run = workspace.logs / summary.run
    if until in _TRAIN and try_to_write_page(workspace, summary.run):
        summary.report = str(run / RunFile.REPORT)
        _write_summary(summary, run / RunFile.SUMMARY)
    if keep_runs and until is None:
        summary.removed = apply_retention(workspace, keep_runs)
        _write_summary(summary, run / RunFile.SUMMARY)


def _run_job(
    job: Job,
    started: Callable[[Path], AbstractContextManager[DagProcess]],
    config: Config,
    workspace: Workspace,
    display: Display,
    arguments: Sequence[str],
) -> Summary:
    """Runs the DAG process, and returns the summary, which is also on the disk.

    From the moment at which the run has a name, an interruption is one of its endings.
    """
    clock = time.monotonic()
    is_interrupted = False
    try:
        with contextlib.ExitStack() as stack:
            with held_interruptions():
                run = workspace.make_run_directory()
                reader = EventReader(run / RunFile.EVENTS)
                summary = _begin_summary(config, run)
                process = stack.enter_context(started(run))
                # The DAG process imports TensorFlow meanwhile.
                write_record(run, config, arguments)
                stack.enter_context(display)
                if job.until in _TRAIN:
                    stack.enter_context(page_prepared_meanwhile())
            is_interrupted = _show_events(process, reader, summary, display)
    except KeyboardInterrupt:
        is_interrupted = True
    with contextlib.suppress(KeyboardInterrupt), held_interruptions():
        for envelope in reader.read():
            summary.add(envelope.event)
        _fill_in_outcome(summary, process.wait(), is_interrupted, workspace)
        summary.ended, summary.seconds = _local_time(), round(time.monotonic() - clock, 3)
        _write_summary(summary, run / RunFile.SUMMARY)
    return summary


def _begin_summary(config: Config, run: Path) -> Summary:
    log = str(run / RunFile.LOG)
    summary = Summary(name=config.name, run=run.name, log=log, started=_local_time())
    summary.deciding = _list_deciding_metrics(config)
    return summary


def _list_deciding_metrics(config: Config) -> list[str]:
    thresholds = config.evaluation.thresholds
    names = (metric_name(t.metric, c) for t in thresholds for c in t.classes(config.label.classes))
    return list(dict.fromkeys(names))


def _local_time() -> str:
    """Returns the time as ISO 8601 with the offset of this machine's time zone."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def _fill_in_outcome(
    summary: Summary, return_code: int, interrupted: bool, workspace: Workspace
) -> None:
    """Sets the status, and the error of a DAG process that ended without sending RunEnded."""
    if summary.exit_code is None and interrupted:
        summary.exit_code, summary.error = INTERRUPTED, Failure("interrupted", "")
    elif summary.exit_code is None and return_code == DISK_FULL:
        error = disk_full_error(workspace.root, workspace.serving)
        summary.exit_code, summary.error = 1, Failure(error.message, error.hint)
    summary.finish(return_code)


def _write_summary(summary: Summary, path: Path) -> None:
    try:
        summary.write(path)
    except OSError:
        # After a failure the summary on the terminal says more than this error of the disk.
        if summary.exit_code == 0:
            raise


@contextlib.contextmanager
def _full_disk_named(workspace: Workspace) -> Iterator[None]:
    """Names the full device: an error of writing often does not tell its file."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise disk_full_error(workspace.root, workspace.serving) from error
        raise


@contextlib.contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Treats SIGTERM as Ctrl-C."""
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _temporary_directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pipeline-", ignore_cleanup_errors=True)


def _check_data(config: Config, workspace: Workspace) -> None:
    """Raises ConfigError if the table cannot be read or lacks configured columns."""
    if config.data.source == "bigquery":
        require_credentials()
    columns = check_source(config.data, config.label, list(config.features))
    if columns:
        check_named_columns(config, [*columns, *_columns_of_schema(config, workspace)])


def _columns_of_schema(config: Config, workspace: Workspace) -> list[str]:
    """Returns the columns of the schema to check against; the gate reports missing columns."""
    record = read_pointer_file(str(workspace.serving))
    served = Path(record.served_schema) / ArtifactFile.SCHEMA if record else None
    path = Path(config.schema_.path) if config.schema_.path else served
    if path is None or not path.exists():
        return []
    schema = parse_schema(path.read_text(encoding="utf-8"), str(path))
    return [feature.name for feature in schema.feature]


def _show_events(
    process: DagProcess, reader: EventReader, summary: Summary, display: Display
) -> bool:
    """Shows events until the process has ended; returns whether the user interrupted the run."""
    interrupted = False
    running = True
    while running:
        try:
            running = process.poll() is None
            for envelope in reader.read():
                summary.add(envelope.event)
                display.show(envelope)
            if running:
                time.sleep(_POLL_SECONDS)
        except KeyboardInterrupt:
            interrupted = True
            display.show_interruption()
            end_dag_process(process)
    return interrupted
