"""The main module of a worker's pod: runs one worker, and reports its progress and failure.

The worker is the same process as on one machine. This process replaces the supervisor inside the
pod: it passes the job on, writes the worker's steps and events to the log, and writes the failure
report as the container's termination message. It ends the worker if the Trainer is gone.
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

from components.distributed_trainer.kubernetes.step_lines import format_event_line, format_step_line
from components.distributed_trainer.kubernetes.trainer_watch import (
    TRAINER_LOCK_VARIABLE,
    TrainerWatch,
)
from components.supervision.cluster import Cluster
from components.supervision.platform_interface import WorkerStatus
from components.supervision.processes import WORKER_COMMAND, WorkerProcess
from components.supervision.worker import TERMINATED
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import EventReader, TrainingProgress

CLUSTER_VARIABLE = "PIPELINE_CLUSTER"
"""The addresses of all pods by task type, in the order of the pods' indices, as JSON."""
INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
"""The pod's index in its Job; Kubernetes sets it."""
_MOST_BYTES = 4096
"""Kubernetes truncates longer termination messages, and truncated JSON cannot be read."""
_POLL_SECONDS = 0.5
"""The pause between two looks at the worker. It bounds how late this process notices its end."""
_REPORT_SECONDS = 2.0
"""The least time between two step lines: a fast training would otherwise fill the log."""
_LOOK_UP_SECONDS = 1.0
"""The pause between two look-ups of a name, which spares the cluster's DNS."""


def run_pod(job_file: str, message_file: str, command: Sequence[str] = WORKER_COMMAND) -> int:
    """Runs the worker of this pod's index, and returns the container's exit code.

    `job_file` holds the job's line; a failed worker's report is written to `message_file`.
    """
    cluster = Cluster(json.loads(os.environ[CLUSTER_VARIABLE]))
    task = cluster.tasks[int(os.environ[INDEX_VARIABLE])]
    job = Path(job_file).read_text(encoding="utf-8")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    watch = TrainerWatch(os.environ.get(TRAINER_LOCK_VARIABLE, ""))
    _wait_for_names(cluster, watch)
    with tempfile.TemporaryDirectory() as scratch:
        events = Path(scratch) / "events"
        variables = {"TF_CONFIG": cluster.to_tf_config(task), EVENTS_VARIABLE: str(events)}
        worker = WorkerProcess(task.name, Path(scratch), variables, job, command)
        try:
            status = _report_until_end(worker, EventReader(events), watch)
        finally:
            worker.terminate()
            worker.end()
    if status.report is not None:
        Path(message_file).write_text(status.report.to_json(_MOST_BYTES), encoding="utf-8")
    code = status.exit_code
    assert code is not None
    # Shells and Kubernetes add 128 to the number of a signal.
    return code if code >= 0 else 128 - code


def _wait_for_names(cluster: Cluster, watch: TrainerWatch) -> None:
    """Waits until DNS resolves every pod's name.

    A pod without a node has no name yet, and TensorFlow may fail at once instead of waiting.

    Raises:
      SystemExit: the Trainer is gone.
    """
    for address in itertools.chain.from_iterable(cluster.addresses.values()):
        host = address.rpartition(":")[0]
        if not _has_address(host):
            print(
                f"waiting for {host}: its pod has no node yet, or DNS does not answer", flush=True
            )
        while not _has_address(host):
            _leave_without_trainer(watch)
            time.sleep(_LOOK_UP_SECONDS)


def _has_address(host: str) -> bool:
    try:
        socket.getaddrinfo(host, None)
    except OSError:
        return False
    return True


def _report_until_end(
    worker: WorkerProcess, events: EventReader, watch: TrainerWatch
) -> WorkerStatus:
    """Writes the worker's events, and a step line whenever it got further; returns its last status.

    The events of an ended worker are complete.

    Raises:
      SystemExit: the Trainer is gone.
    """
    reported, when = (-1, 0), time.monotonic()
    while True:
        status = worker.read_status()
        ended, now = status.exit_code is not None, time.monotonic()
        progress = (status.steps, status.ticks)
        for line in filter(_is_for_the_record, events.read_lines()):
            print(format_event_line(line), flush=True)
        if progress != reported and (ended or now - when >= _REPORT_SECONDS):
            reported, when = progress, now
            print(format_step_line(*progress), flush=True)
        if ended:
            return status
        _leave_without_trainer(watch)
        time.sleep(_POLL_SECONDS)


def _leave_without_trainer(watch: TrainerWatch) -> None:
    if watch.is_trainer_gone():
        print("the Trainer no longer holds its lock, so it is gone; this worker ends", flush=True)
        sys.exit(TERMINATED)


def _is_for_the_record(line: bytes) -> bool:
    """Whether an event says more than a step line: the progress within an epoch does not."""
    try:
        event = json.loads(line)
    except ValueError:
        return False
    return event.get("event") != TrainingProgress.kind or event.get("eval_loss") is not None


if __name__ == "__main__":
    job_path, message_path, *own_command = sys.argv[1:]
    sys.exit(run_pod(job_path, message_path, own_command or WORKER_COMMAND))
