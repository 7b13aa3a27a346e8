"""`run`: starts the working process, shows what it does, and sums up what came of it.

This side never imports TensorFlow: a wrong configuration is told within a second, and native
libraries cannot scribble over the terminal.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from components.columnar_example_gen.preflight import check_source
from components.schema_curator.text import parse_schema
from components.served_model.record import RECORD_FILE, parse_record
from pipeline.config import Config
from pipeline.features_check import check_features
from pipeline.runners.disk import disk_full_error
from pipeline.runners.display import Display
from pipeline.runners.events import EVENTS_VARIABLE, EventReader
from pipeline.runners.job import Job
from pipeline.runners.summary import Summary
from pipeline.runners.worker import DISK_FULL, INTERRUPTED
from pipeline.runners.workspace import Workspace

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 20


def run_local(
    config: Config, workspace: Workspace, display: Display, until: str | None = None
) -> Summary:
    """Runs the pipeline in `workspace`, up to component `until`, and returns what came of it.

    Raises:
      ConfigError: before any work, if the configuration does not fit the table or the directory.
    """
    with workspace.locked() as locks, _terminable():
        _check(config, workspace)
        run = workspace.new_run()
        summary = Summary(name=config.name, run=run.name, log=str(run / "run.log"))
        with (
            tempfile.TemporaryDirectory(
                prefix="pipeline-", ignore_cleanup_errors=True
            ) as temporary,
            _working_process(Job.of(config, workspace, temporary, until), run, locks) as process,
        ):
            interrupted = _follow(process, EventReader(run / "events.jsonl"), summary, display)
        _settle(summary, process.returncode, interrupted, workspace)
        _write(summary, run / "summary.json")
    return summary


def _settle(summary: Summary, return_code: int, interrupted: bool, workspace: Workspace) -> None:
    """What a process that could not say how it ended leaves to be said."""
    if summary.exit_code is None and interrupted:
        summary.exit_code, summary.error = INTERRUPTED, {"message": "interrupted", "hint": ""}
    elif summary.exit_code is None and return_code == DISK_FULL:
        error = disk_full_error(workspace.root, workspace.serving)
        summary.exit_code, summary.error = 1, {"message": error.message, "hint": error.hint}
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


def _check(config: Config, workspace: Workspace) -> None:
    columns = check_source(config.data, config.label, list(config.features))
    if columns:
        check_features(config, [*columns, *_expected_columns(config, workspace)])


def _expected_columns(config: Config, workspace: Workspace) -> list[str]:
    """The columns of the reference schema: should one be missing, the gate says so."""
    pointer = workspace.serving / RECORD_FILE
    text = pointer.read_text(encoding="utf-8") if pointer.exists() else "{}"
    record = parse_record(text, str(pointer))
    served = Path(record.schema) / "schema.pbtxt" if record else None
    path = Path(config.schema_.path) if config.schema_.path else served
    if path is None or not path.exists():
        return []
    schema = parse_schema(path.read_text(encoding="utf-8"), str(path))
    return [feature.name for feature in schema.feature]


@contextlib.contextmanager
def _working_process(
    job: Job, run: Path, locks: tuple[int, ...]
) -> Iterator[subprocess.Popen[bytes]]:
    """The working process; it gets the chance to end in order, whatever happens here."""
    environment = {
        **os.environ,
        "TMPDIR": job.temporary,
        EVENTS_VARIABLE: str(run / "events.jsonl"),
        "TF_USE_LEGACY_KERAS": "1",
        "TF_CPP_MIN_LOG_LEVEL": os.environ.get("TF_CPP_MIN_LOG_LEVEL", "1"),
    }
    with open(run / "run.log", "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.runners.worker"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            # Ctrl-C reaches the parent alone, which then asks the worker to end.
            start_new_session=True,
            # Should this process be killed, the directory stays locked until the worker has ended.
            pass_fds=locks,
        )
    assert process.stdin is not None
    try:
        process.stdin.write(job.to_line())
        process.stdin.flush()
        yield process
    finally:
        _end(process)
        # What a killed process has started itself, such as Beam's workers: it led their group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


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
                for event in reader.read():
                    summary.add(event)
                    display.show(event)
                if running:
                    time.sleep(_POLL_SECONDS)
            except KeyboardInterrupt:
                interrupted = True
                display.interrupting()
                _end(process)
    return interrupted


def _end(process: subprocess.Popen[bytes]) -> None:
    """Asks the process to end in order; the impatient and the stuck get it killed."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_GRACE_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            process.wait()
