"""Starts the cluster of `make flink-up` for one run, and asks it what its jobs have moved."""

from __future__ import annotations

import contextlib
import json
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring.process import CommandError, run_command
from benchmarks.measuring.workload import PYTHON
from deploy.flink.local.cluster import ENDPOINT, PAGE
from deploy.flink.local.places import STATE
from pipeline.config.engine.section import make_job_name

_LOCAL = (PYTHON, "-m", "deploy.flink.local")
_SECONDS = 30.0


@dataclass(frozen=True)
class Moved:
    """The bytes that the steps of a component's jobs handed to each other."""

    jobs: int = 0
    read: int = 0
    written: int = 0


@contextlib.contextmanager
def flink_cluster(taskmanagers: int, log: Path) -> Iterator[str]:
    """Starts a cluster, yields the setting that a run needs for it, and ends the cluster.

    Raises:
      CommandError: a cluster runs already, or the new one does not start.
    """
    if STATE.exists():
        raise CommandError("a Flink cluster runs here already; end it: make flink-down")
    run_command([*_LOCAL, "up", "--pods", str(taskmanagers)], log)
    try:
        yield (
            f"engine={{kind: flink, endpoint: '{ENDPOINT}', page: '{PAGE}', "
            f"parallelism: {taskmanagers}}}"
        )
    finally:
        run_command([*_LOCAL, "down"], log.with_suffix(".down.log"))


def read_moved(pipeline: str, components: list[str]) -> dict[str, Moved]:
    """Returns what the jobs of each component have moved, from Flink's REST API."""
    jobs = _ask("/jobs/overview")["jobs"]
    names = {component: f"{make_job_name(pipeline, component)}-" for component in components}
    return {
        component: sum_moved(
            [_ask(f"/jobs/{j['jid']}") for j in jobs if j["name"].startswith(name)]
        )
        for component, name in names.items()
    }


def sum_moved(jobs: list[Mapping[str, Any]]) -> Moved:
    """Returns the sum over Flink's answers to `/jobs/ID`, which has metrics for each vertex.

    Raises:
      ValueError: a job has not finished, or Flink lacks metrics of one of its vertices.
    """
    metrics = []
    for job in jobs:
        if job["state"] != "FINISHED":
            raise ValueError(f"the job {job['name']} is {job['state']}")
        metrics += [vertex["metrics"] for vertex in job["vertices"]]
        if not all(m["read-bytes-complete"] and m["write-bytes-complete"] for m in metrics):
            raise ValueError(f"Flink lacks metrics of the job {job['name']}")
    return Moved(
        len(jobs), sum(m["read-bytes"] for m in metrics), sum(m["write-bytes"] for m in metrics)
    )


def _ask(path: str) -> Any:
    with urllib.request.urlopen(f"{PAGE}{path}", timeout=_SECONDS) as answer:
        return json.load(answer)
