"""Whole runs on the Flink cluster: equal to a local run, whatever dies meanwhile."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from flink import (
    HARNESS,
    ON_FLINK,
    POOL,
    TASKMANAGER,
    count_restarts,
    find_jobs,
    find_processes,
    job_ids,
    wait_for_all_pods,
    wait_for_work,
)
from outcomes import LocalRun, check_equal, copy_of
from support import Result

pytestmark = pytest.mark.engine

ON_WORKERS = ("ExampleGen", "StatisticsGen", "Transform", "Evaluator")
ANALYSIS, MATERIALISE = 1, 2
"""Transform's jobs, in their order."""


def test_a_run_on_flink_gives_what_a_local_run_gives(local: LocalRun, tmp_path: Path) -> None:
    project = copy_of(local, tmp_path)
    known = {component: job_ids(component) for component in ON_WORKERS}
    result = project.run(*ON_FLINK)
    check_equal(local[1], project, result)
    for component in ON_WORKERS:
        new = [job for job in find_jobs(component) if job["jid"] not in known[component]]
        assert [job["state"] for job in new] == ["FINISHED"] * len(new) != []


def test_a_run_survives_the_loss_of_a_taskmanager_in_statistics(
    local: LocalRun, tmp_path: Path
) -> None:
    check_accident(local, tmp_path, "StatisticsGen", kill_taskmanager)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("component", "job"),
    [("ExampleGen", 1), ("Transform", ANALYSIS), ("Transform", MATERIALISE), ("Evaluator", 1)],
)
def test_a_run_survives_the_loss_of_a_taskmanager(
    local: LocalRun, tmp_path: Path, component: str, job: int
) -> None:
    check_accident(local, tmp_path, component, kill_taskmanager, job)


@pytest.mark.nightly
@pytest.mark.parametrize("component", ["StatisticsGen", "Transform"])
def test_a_run_survives_the_loss_of_a_python_worker(
    local: LocalRun, tmp_path: Path, component: str
) -> None:
    """With Beam's own pool, this job would wait for ever."""
    check_accident(local, tmp_path, component, kill_harness)


def kill_taskmanager(pod: int) -> None:
    kill(pod, TASKMANAGER, POOL, HARNESS)


def kill_harness(pod: int) -> None:
    kill(pod, HARNESS)


def kill(pod: int, *parts: str) -> None:
    for process in [p for part in parts for p in find_processes(pod, part)]:
        # Its parent may have ended it meanwhile.
        if process.is_running():
            os.kill(process.pid, signal.SIGKILL)


def check_accident(
    local: LocalRun,
    directory: Path,
    component: str,
    accident: Callable[[int], None],
    number: int = 1,
) -> None:
    """Runs on Flink, causes the accident in a job of a component, and compares the results."""
    wait_for_all_pods()
    project = copy_of(local, directory)
    earlier = job_ids(component)
    results: list[Result] = []
    run = threading.Thread(target=lambda: results.append(project.run(*ON_FLINK)))
    run.start()
    try:
        job, pod = wait_for_work(component, earlier, number)
        accident(pod)
    finally:
        run.join()
    check_equal(local[1], project, results[0])
    assert count_restarts(job) >= 1
    wait_for_all_pods()
