"""Ctrl-C and SIGTERM end a run and its job on the Flink cluster."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flink import ON_FLINK, find_jobs, job_ids, wait_for, wait_for_work
from outcomes import LocalRun, check_equal, copy_of, list_leftovers
from support import Project

pytestmark = [pytest.mark.engine, pytest.mark.nightly]

COMPONENT = "StatisticsGen"


def test_ctrl_c_cancels_the_job_and_the_same_command_goes_on(
    local: LocalRun, tmp_path: Path
) -> None:
    project = copy_of(local, tmp_path)
    earlier = job_ids(COMPONENT)
    with running(project) as run:
        job, _ = wait_for_work(COMPONENT, earlier)
        os.killpg(run.pid, signal.SIGINT)  # As a terminal does.
        output, _ = run.communicate()
    check_interrupted(run, output, project, job)
    check_equal(local[1], project, project.run(*ON_FLINK))


def test_sigterm_cancels_a_job_that_flink_has_only_just_got(
    local: LocalRun, tmp_path: Path
) -> None:
    project = copy_of(local, tmp_path)
    earlier = job_ids(COMPONENT)
    with running(project) as run:
        [job] = wait_for(lambda: job_ids(COMPONENT) - earlier, "the job")
        run.terminate()
        output, _ = run.communicate()
    check_interrupted(run, output, project, job)


@contextmanager
def running(project: Project) -> "Iterator[subprocess.Popen[str]]":
    """Starts a run on the cluster, and kills it at the end of the `with` statement."""
    command = ["run", "--config", "my.yaml", "--output", project.output, *ON_FLINK]
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", *command],
        cwd=project.directory,
        env={**os.environ, "PYTHONPATH": str(project.code)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # A job in the background is started with Ctrl-C ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as run:
        try:
            yield run
        finally:
            run.kill()


def check_interrupted(
    run: "subprocess.Popen[str]", output: str, project: Project, job: str
) -> None:
    assert run.returncode == 130, output
    states = {found["jid"]: found["state"] for found in find_jobs(COMPONENT)}
    assert states[job] in ("CANCELLING", "CANCELED")
    wait_for(lambda: job in canceled_jobs(), "the end of the job")
    assert list_leftovers(project) == []


def canceled_jobs() -> set[str]:
    return {job["jid"] for job in find_jobs(COMPONENT) if job["state"] == "CANCELED"}
