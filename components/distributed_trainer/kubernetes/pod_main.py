"""What the container of a worker's pod runs: one worker, and word of it to the Trainer.

The worker is the same process as on one machine. This one stands in for the supervisor: it hands
the job over, says in the log how far the worker is, and leaves its report as the message with which
Kubernetes lets a container end.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from components.distributed_trainer.kubernetes.step_lines import steps_line
from components.supervision.cluster import Cluster
from components.supervision.launcher import WorkerStatus
from components.supervision.processes import WORKER, WorkerProcess
from components.supervision.worker import TERMINATED

CLUSTER_VARIABLE = "PIPELINE_CLUSTER"
"""The addresses of all pods by the type of their task, in the order of their indices."""
INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
"""Set by Kubernetes."""
_MOST_BYTES = 4096
"""Kubernetes cuts longer messages, and a report that was cut cannot be read."""
_LOOK_SECONDS = 0.5
_TELL_SECONDS = 2.0
_LOOK_UP_SECONDS = 1.0


def run(job_file: str, message_file: str, command: Sequence[str] = WORKER) -> int:
    """Works as the pod's index says; the exit code for the container."""
    cluster = Cluster(json.loads(os.environ[CLUSTER_VARIABLE]))
    task = cluster.tasks[int(os.environ[INDEX_VARIABLE])]
    job = Path(job_file).read_text(encoding="utf-8")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    _wait_for_names(cluster)
    with tempfile.TemporaryDirectory() as scratch:
        variables = {"TF_CONFIG": cluster.tf_config(task)}
        worker = WorkerProcess(task.name, Path(scratch), variables, job, command)
        try:
            status = _tell_until_end(worker)
        finally:
            worker.terminate()
            worker.end()
    if status.report is not None:
        Path(message_file).write_text(status.report.to_json(_MOST_BYTES), encoding="utf-8")
    code = status.exit_code
    assert code is not None
    # As shells and Kubernetes count signals.
    return code if code >= 0 else 128 - code


def _wait_for_names(cluster: Cluster) -> None:
    """Until each pod has a name: those without a node have none, and TensorFlow may not wait."""
    for address in itertools.chain.from_iterable(cluster.addresses.values()):
        host = address.rpartition(":")[0]
        told = False
        while not _resolves(host):
            if not told:
                print(f"waiting for {host}: its pod has no node yet, or DNS no answer", flush=True)
            told = True
            time.sleep(_LOOK_UP_SECONDS)


def _resolves(host: str) -> bool:
    try:
        socket.getaddrinfo(host, None)
    except OSError:
        return False
    return True


def _tell_until_end(worker: WorkerProcess) -> WorkerStatus:
    told, when = (-1, 0), time.monotonic()
    while True:
        status = worker.look()
        ended, now = status.exit_code is not None, time.monotonic()
        if (status.steps, status.ticks) != told and (ended or now - when >= _TELL_SECONDS):
            told, when = (status.steps, status.ticks), now
            print(steps_line(*told), flush=True)
        if ended:
            return status
        time.sleep(_LOOK_SECONDS)


if __name__ == "__main__":
    job_path, message_path, *own_command = sys.argv[1:]
    sys.exit(run(job_path, message_path, own_command or WORKER))
