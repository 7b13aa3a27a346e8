"""Looks at the local Flink cluster, and kills parts of it."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import psutil

from deploy.flink.local.cluster import ENDPOINT, PAGE
from deploy.flink.local.networks import PODS
from deploy.flink.local.places import STATE
from deploy.sessions import read_state

ON_FLINK = (
    f"--set=engine={{kind: flink, endpoint: '{ENDPOINT}', page: '{PAGE}', parallelism: 2}}",
)

TASKMANAGER = "TaskManagerRunner"
POOL = "pipeline.runners.worker_pool"
HARNESS = "pipeline.runners.worker_harness"

_Found = TypeVar("_Found")


def ask(path: str) -> Any:
    """Returns the answer of Flink's REST API."""
    with urllib.request.urlopen(f"{PAGE}{path}", timeout=30) as answer:
        return json.load(answer)


def find_jobs(component: str) -> list[dict[str, Any]]:
    """Returns the jobs of a component, from all runs: PIPELINE-COMPONENT-NUMBER."""
    jobs: list[dict[str, Any]] = ask("/jobs/overview")["jobs"]
    return [job for job in jobs if f"-{component.lower()}" in job["name"]]


def job_ids(component: str) -> set[str]:
    """Returns the ids of the jobs of a component."""
    return {job["jid"] for job in find_jobs(component)}


def find_processes(pod: int, part: str) -> list[psutil.Process]:
    """Returns the processes of a pod whose command line has the part."""
    found = read_state(STATE)[f"pod-{pod}"].members()
    return [process for process in found if part in " ".join(_command_line(process))]


def wait_for(find: Callable[[], _Found | None], what: str, seconds: float = 900.0) -> _Found:
    """Returns what is found, as soon as it is."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := find():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds:.0f} s")


def wait_for_work(component: str, earlier: set[str], number: int = 1) -> tuple[str, int]:
    """Waits until a pod has started a harness for a new job of a component.

    The harness imports Beam for seconds, so the job does not end soon. Returns the id of the job
    and the number of the pod.

    Args:
      earlier: the ids of the component's jobs before the run.
      number: which new job of the component, in the order in which they start.
    """

    def find() -> tuple[str, int] | None:
        new = [job for job in find_jobs(component) if job["jid"] not in earlier]
        for job in sorted(new, key=lambda job: int(job["start-time"]))[number - 1 : number]:
            if job["tasks"]["running"]:
                began = job["start-time"] / 1000
                pods = [pod for pod in PODS if _has_started(find_processes(pod, HARNESS), began)]
                return (job["jid"], pods[0]) if pods else None
        return None

    return wait_for(find, f"{component} at work")


def _has_started(processes: Sequence[psutil.Process], after: float) -> bool:
    """Whether one of the processes has started after the time; others are of earlier jobs."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return any(process.create_time() > after for process in processes)
    return False


def wait_for_all_pods() -> None:
    """Waits until each pod has registered again after an accident."""
    wait_for(lambda: ask("/overview")["taskmanagers"] == len(PODS), "both TaskManagers")


def count_restarts(job: str) -> int:
    """Returns how often Flink recorded a failure of the job that it recovered from."""
    return len(ask(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"])


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.NoSuchProcess:
        return []
