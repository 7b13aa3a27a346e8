"""`run`: starts the working process, shows what it does, and sums up what came of it.

This side never imports TensorFlow: a wrong configuration is told within a second, and native
libraries cannot scribble over the terminal.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from components.columnar_example_gen.preflight import check_source
from components.query_example_gen.credentials import require_credentials
from components.schema_curator.schema_text import parse_schema
from components.served_model.served_record import read_served
from pipeline.config import Config
from pipeline.config.rules.accelerators import require_tpu
from pipeline.config.rules.named_columns import check_named_columns
from pipeline.core.error_causes import disk_full_error
from pipeline.core.events import EventReader, Failure
from pipeline.core.processes import INTERRUPTED
from pipeline.runners.local.job import Job
from pipeline.runners.local.worker import DISK_FULL
from pipeline.runners.local.worker_process import end, working_process
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.display import Display
from pipeline.terminal.summary import Summary

_POLL_SECONDS = 0.1
_TRAIN = (None, "Tuner")
"""The runs, by their last component, in which a model is trained."""


def run_local(
    config: Config, workspace: Workspace, display: Display, until: str | None = None
) -> Summary:
    """Runs the pipeline in `workspace`, up to component `until`, and returns what came of it.

    Raises:
      ConfigError: before any work, if the configuration does not fit the table, the directory or
        the machine.
    """
    with workspace.lock() as locks, _terminable(), _temporary_directory() as temporary:
        _check(config, workspace)
        if until in _TRAIN and config.training.strategy == "tpu":
            require_tpu()
        job = Job.of(config, workspace, temporary, until)
        run = workspace.make_run_directory()
        summary = Summary(name=config.name, run=run.name, log=str(run / "run.log"))
        with working_process(job, run, locks) as process:
            interrupted = _follow(process, EventReader(run / "events.jsonl"), summary, display)
        _settle(summary, process.returncode, interrupted, workspace)
        _write(summary, run / "summary.json")
    return summary


def _settle(summary: Summary, return_code: int, interrupted: bool, workspace: Workspace) -> None:
    """What a process that could not say how it ended leaves to be said."""
    if summary.exit_code is None and interrupted:
        summary.exit_code, summary.error = INTERRUPTED, Failure("interrupted", "")
    elif summary.exit_code is None and return_code == DISK_FULL:
        error = disk_full_error(workspace.root, workspace.serving)
        summary.exit_code, summary.error = 1, Failure(error.message, error.hint)
    summary.finish(return_code)


def _write(summary: Summary, path: Path) -> None:
    try:
        summary.write(path)
    except OSError:
        # Of a run that failed, nothing but the disk's own failure would be hidden.
        if summary.exit_code == 0:
            raise


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM is an interrupt like Ctrl-C."""
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _temporary_directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pipeline-", ignore_cleanup_errors=True)


def _check(config: Config, workspace: Workspace) -> None:
    if config.data.source == "bigquery":
        require_credentials()
    columns = check_source(config.data, config.label, list(config.features))
    if columns:
        check_named_columns(config, [*columns, *_expected_columns(config, workspace)])


def _expected_columns(config: Config, workspace: Workspace) -> list[str]:
    """The columns of the reference schema: should one be missing, the gate says so."""
    record = read_served(str(workspace.serving))
    served = Path(record.served_schema) / "schema.pbtxt" if record else None
    path = Path(config.schema_.path) if config.schema_.path else served
    if path is None or not path.exists():
        return []
    schema = parse_schema(path.read_text(encoding="utf-8"), str(path))
    return [feature.name for feature in schema.feature]


def _follow(
    process: subprocess.Popen[bytes], reader: EventReader, summary: Summary, display: Display
) -> bool:
    """Shows events until the process has ended; whether it was interrupted and asked to."""
    interrupted = False
    with display:
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
                end(process)
    return interrupted
