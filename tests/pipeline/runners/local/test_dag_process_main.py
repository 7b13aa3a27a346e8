"""The DAG process sends how it ended, and removes its temporary files."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import DagFailure, EventReader, RunEnded
from pipeline.runners.local.dag_process_main import DISK_FULL, _describe_failure
from pipeline.runners.local.job import Job
from pipeline.runners.local.launcher import ComponentError

ROOT = Path(__file__).parents[4]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job whose configuration the DAG process cannot read, so that it ends before any work."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (temporary / "file").touch()
    return Job("{}", *(str(tmp_path / name) for name in "abcd"), str(temporary), until=None)


def run_dag_process(job: Job, events: str) -> int:
    """Runs the DAG process with its pipe open until it ends: a closed pipe means a dead parent."""
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline.runners.local.dag_process_main"],
        stdin=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, EVENTS_VARIABLE: events},
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(job.to_line())
        process.stdin.flush()
        return process.wait()


def test_a_failed_run_sends_its_error_and_leaves_no_temporary_files(
    job: Job, tmp_path: Path
) -> None:
    events = tmp_path / "events.jsonl"
    assert run_dag_process(job, str(events)) == 1
    [envelope] = EventReader(events).read()
    assert isinstance(envelope.event, RunEnded)
    assert envelope.event.exit_code == 1
    error = envelope.event.error
    assert isinstance(error, DagFailure)
    assert error.component is None
    assert error.message.startswith("ValidationError: ")
    assert not Path(job.temporary).exists()


def test_the_return_code_says_that_the_disk_is_full_if_no_event_can_be_written(job: Job) -> None:
    job = dataclasses.replace(job, temporary="")
    assert run_dag_process(job, "/dev/full") == DISK_FULL


def test_a_change_of_the_metadata_that_was_given_up_is_a_matter_of_the_disk(job: Job) -> None:
    lost = ComponentError("Trainer")
    lost.__cause__ = RuntimeError("cannot commit - no transaction is active query: COMMIT;")
    ended = _describe_failure(lost, job)
    assert ended.exit_code == 1
    assert ended.error is not None
    assert ended.error.component == "Trainer"
    assert ended.error.message.startswith(f"{job.metadata}: a change was lost: no space left on")
