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
import time
from collections.abc import Iterator
from pathlib import Path

from components.columnar_example_gen.preflight import check_source
from components.schema_curator.text import parse_schema
from components.served_model.record import RECORD_FILE, parse_record
from pipeline.config import Config
from pipeline.config.environment import EVENTS_VARIABLE
from pipeline.features_check import check_features
from pipeline.runners.display import Display
from pipeline.runners.events import EventReader
from pipeline.runners.job import Job
from pipeline.runners.summary import Summary
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
    with workspace.locked() as lock:
        _check(config, workspace)
        run = workspace.new_run()
        summary = Summary(name=config.name, run=run.name, log=str(run / "run.log"))
        with _working_process(Job.of(config, workspace, until), run, lock) as process:
            _follow(process, EventReader(run / "events.jsonl"), summary, display)
        summary.finish(process.returncode)
        summary.write(run / "summary.json")
    return summary


def _check(config: Config, workspace: Workspace) -> None:
    columns = check_source(config.data, config.label, list(config.features))
    if columns:
        check_features(config, [*columns, *_expected_columns(config, workspace)])


def _expected_columns(config: Config, workspace: Workspace) -> list[str]:
    """The columns of the reference schema: should one be missing, the gate says so."""
    pointer = workspace.serving / RECORD_FILE
    record = parse_record(pointer.read_text(encoding="utf-8")) if pointer.exists() else None
    served = Path(record.schema) / "schema.pbtxt" if record else None
    path = Path(config.schema_.path) if config.schema_.path else served
    if path is None or not path.exists():
        return []
    schema = parse_schema(path.read_text(encoding="utf-8"), str(path))
    return [feature.name for feature in schema.feature]


@contextlib.contextmanager
def _working_process(job: Job, run: Path, lock: int) -> Iterator[subprocess.Popen[bytes]]:
    """The working process; it gets the chance to end in order, whatever happens here."""
    environment = {
        **os.environ,
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
            pass_fds=(lock,),
        )
    assert process.stdin is not None
    try:
        process.stdin.write(job.to_line())
        process.stdin.flush()
        yield process
    finally:
        _end(process)


def _follow(
    process: subprocess.Popen[bytes], reader: EventReader, summary: Summary, display: Display
) -> None:
    """Shows events until the process has ended; the first interrupt asks it to end."""
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
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
                    display.interrupting()
                    _end(process)
    finally:
        signal.signal(signal.SIGTERM, previous)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
