"""Runs of refused jobs, and of jobs that wait; their warm processes import nothing beforehand."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from process_states import wait_until

from pipeline.core.processes import end_group
from pipeline.runners.local.dag_process import start_dag_process
from pipeline.runners.local.job import Job
from pipeline.runners.local.warm import client
from pipeline.runners.local.warm.client import (
    WaitingProcess,
    find_warm_process,
    fork_dag_process,
)
from pipeline.runners.local.warm.forked_process import ForkedProcess
from pipeline.runners.workspace.lock import is_locked, lock_directory

_CODE = client._CODE
_REPLACED = """
from pipeline.runners.local.warm import warm_process
warm_process._warm_up = {}
run_job = warm_process.dag_process_main.main
def wait_or_run(job):
    return 1 if job.config == "wait" and not sys.stdin.read() else run_job(job)
warm_process.dag_process_main.main = wait_or_run
main()
"""


def replace_imports(monkeypatch: pytest.MonkeyPatch, warm_up: str) -> None:
    """Lets a warm process call this function in place of its imports."""
    code = _CODE.replace("main()\n", _REPLACED.format(warm_up))
    monkeypatch.setattr(client, "_CODE", code)


def make_job(config: str, temporary: Path) -> Job:
    return Job(config, *("unused" for _ in range(4)), str(temporary), until=None)


def run(directory: Path, minutes: int = 1) -> int:
    """Runs a job that is refused; returns the id of the warm process that ran it."""
    directory.mkdir(exist_ok=True)
    temporary = directory / "temporary"
    temporary.mkdir()
    job = make_job("{}", temporary)
    with lock_directory(directory, "--output") as lock:
        with start_dag_process(job, directory, (lock,), minutes) as process:
            assert process.wait(60) == 1
            assert process.poll() == 1
        assert (directory / ".lock").read_text().split()[-1] == str(process.pid)
    assert not is_locked(directory)
    events = (directory / "events.jsonl").read_text().splitlines()
    assert json.loads(events[-1])["error"]["message"]
    assert not temporary.exists()
    log = (directory / "run.log").read_text()
    [pid] = re.findall("This process is a fork of the warm process ([0-9]+)", log)
    return int(pid)


def find() -> WaitingProcess | None:
    return find_warm_process(os.environ)


def wait_for_warm_process() -> int:
    wait_until(find)
    found = find()
    assert found is not None
    assert found.memory > 1e6
    return found.pid


@contextlib.contextmanager
def waiting_fork(directory: Path, minutes: int = 1) -> Iterator[ForkedProcess]:
    """A fork that waits for the end of its standard input."""
    job = make_job("wait", directory / "temporary").to_line().decode()
    with open(directory / "run.log", "wb") as log, lock_directory(directory, "--output") as lock:
        process = fork_dag_process(os.environ, {}, job, log.fileno(), (lock,), minutes)
        try:
            yield process
        finally:
            end_group(process, 20)
            process.close()
