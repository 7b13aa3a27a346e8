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
    wait_for_all_pods,
    wait_for_work,
)
from outcomes import Outcome, check_equal
from support import Project, Result

pytestmark = pytest.mark.engine

LocalRun = tuple[Project, Outcome]
ON_WORKERS = ("StatisticsGen", "Transform", "Evaluator")


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
@pytest.mark.parametrize("component", ["Transform", "Evaluator"])
def test_a_run_survives_the_loss_of_a_taskmanager(
    local: LocalRun, tmp_path: Path, component: str
) -> None:
    check_accident(local, tmp_path, component, kill_taskmanager)


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
    local: LocalRun, directory: Path, component: str, accident: Callable[[int], None]
) -> None:
    """Runs on Flink, causes the accident in a component, and compares the results."""
    wait_for_all_pods()
    project = copy_of(local, directory)
    earlier = job_ids(component)
    results: list[Result] = []
    run = threading.Thread(target=lambda: results.append(project.run(*ON_FLINK)))
    run.start()
    try:
        job, pod = wait_for_work(component, earlier)
        accident(pod)
    finally:
        run.join()
    check_equal(local[1], project, results[0])
    assert count_restarts(job) >= 1
    wait_for_all_pods()


def copy_of(local: LocalRun, directory: Path) -> Project:
    """Returns a project with the same configuration, and an output directory of its own."""
    project = Project(directory)
    project.write("my.yaml", (local[0].directory / "my.yaml").read_text(encoding="utf-8"))
    return project


def job_ids(component: str) -> set[str]:
    return {job["jid"] for job in find_jobs(component)}
