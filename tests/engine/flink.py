"""Looks at the local Flink cluster, and kills parts of it."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from typing import Any, TypeVar

import psutil

from deploy.flink.local.cluster import ENDPOINT, PAGE
from deploy.flink.local.networks import PODS
from deploy.flink.local.places import STATE
from deploy.flink.local.sessions import read_state

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


def find_processes(pod: int, part: str) -> list[psutil.Process]:
    """Returns the processes of a pod whose command line has the part."""
    found = read_state(STATE)[f"pod-{pod}"].members()
    return [process for process in found if part in " ".join(_command_line(process))]


def wait_for(find: Callable[[], _Found | None], what: str, seconds: float = 240.0) -> _Found:
    """Returns what is found, as soon as it is."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := find():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds:.0f} s")


def wait_for_work(component: str, earlier: set[str]) -> tuple[str, int]:
    """Waits until a pod has started a harness for a new job of a component.

    The harness imports Beam for seconds, so the job does not end soon. Returns the id of the job
    and the number of the pod.
    """

    def find() -> tuple[str, int] | None:
        running = [
            job["jid"]
            for job in find_jobs(component)
            if job["jid"] not in earlier and job["tasks"]["running"]
        ]
        pods = [pod for pod in PODS if find_processes(pod, HARNESS)] if running else []
        return (running[0], pods[0]) if pods else None

    return wait_for(find, f"{component} at work")


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
