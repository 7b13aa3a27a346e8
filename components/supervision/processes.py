"""Workers as processes of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from components.supervision.cluster import Cluster, local_cluster
from components.supervision.failure_report import Report
from components.supervision.launcher import WorkerStatus
from pipeline.core.environment import REPORT_VARIABLE, STEPS_VARIABLE
from pipeline.core.error_causes import DISK_FULL
from pipeline.core.processes import wait_or_kill

_GRACE_SECONDS = 5.0
"""Given to all workers together: whoever ends this process does not wait long either."""
_OUTPUT_SECONDS = 1.0

WORKER = (sys.executable, "-m", "components.supervision.worker")


class ProcessLauncher:
    """Starts each worker with the job on its standard input.

    The pipe stays open: when it closes, whoever supervised is gone, and the workers end too.
    `tasks` says how many processes there are of each type of task.
    """

    def __init__(self, job: str, tasks: Mapping[str, int], command: Sequence[str] = WORKER) -> None:
        self._job = job
        self._tasks = dict(tasks)
        self._command = list(command)

    def start(self) -> ProcessAttempt:
        return ProcessAttempt(local_cluster(self._tasks), self._job, self._command)


class ProcessAttempt:
    """The processes of one cluster."""

    def __init__(self, cluster: Cluster, job: str, command: Sequence[str] = WORKER) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="workers-")
        self._workers: list[WorkerProcess] = []
        try:
            for task in cluster.tasks:
                directory = Path(self._scratch.name, task.name)
                directory.mkdir()
                variables = {"TF_CONFIG": cluster.tf_config(task)}
                serves = cluster.serves(task)
                self._workers.append(
                    WorkerProcess(task.name, directory, variables, job, command, serves)
                )
        except BaseException:
            self.stop()
            raise

    def look(self) -> Sequence[WorkerStatus]:
        return [worker.look() for worker in self._workers]

    def stop(self) -> None:
        for worker in self._workers:
            worker.terminate()
        deadline = time.monotonic() + _GRACE_SECONDS
        for worker in self._workers:
            worker.end(max(deadline - time.monotonic(), 0))
        self._scratch.cleanup()


class WorkerProcess:
    """One process, the files it leaves word in, and the thread that passes its output on."""

    def __init__(
        self,
        name: str,
        directory: Path,
        variables: Mapping[str, str],
        job: str,
        command: Sequence[str],
        serves: bool = False,
    ) -> None:
        self._name = name
        self._serves = serves
        self._steps = directory / "steps"
        self._report = directory / "report"
        places = {STEPS_VARIABLE: str(self._steps), REPORT_VARIABLE: str(self._report)}
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | variables | places,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._output = threading.Thread(
            target=_pass_on, args=(self._process.stdout, name), daemon=True
        )
        self._output.start()
        with contextlib.suppress(BrokenPipeError):  # It has ended; its exit code says so.
            self._process.stdin.write(job.encode() + b"\n")
            self._process.stdin.flush()

    def look(self) -> WorkerStatus:
        code = self._process.poll()
        steps, ticks = json.loads(_text_of(self._steps) or "[-1, 0]")
        told = self._told(code) if code else None
        return WorkerStatus(self._name, code, told, steps, ticks, self._serves)

    def _told(self, code: int) -> Report | None:
        if code in DISK_FULL:
            return Report.of(OSError(code, os.strerror(code)))
        try:
            return Report.from_json(_text_of(self._report))
        except ValueError:  # There is none, or the worker was killed while it wrote it.
            return None

    def terminate(self) -> None:
        self._process.terminate()

    def end(self, seconds: float = _GRACE_SECONDS) -> None:
        # Killed where it is stopped, or waits in native code for a peer.
        wait_or_kill(self._process, seconds)
        self._output.join(_OUTPUT_SECONDS)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # What it never read is written once more.
            self._process.stdin.close()


def _pass_on(output: IO[bytes], name: str) -> None:
    """Writes a worker's lines to this process's standard error, each with the worker's name."""
    with output:
        for line in output:
            sys.stderr.write(f"[{name}] {line.decode(errors='replace').rstrip()}\n")
            sys.stderr.flush()


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
