"""Runs workers as processes of this machine."""

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

from components.supervision.cluster import Cluster, make_local_cluster
from components.supervision.failure_report import FailureReport
from components.supervision.platform_interface import WorkerStatus
from components.supervision.private_network import (
    PrivateNetwork,
    explain_missing_network,
    make_network,
)
from pipeline.config.sections.training import PrivateNetworkChoice
from pipeline.core.environment import REPORT_VARIABLE, STEPS_VARIABLE
from pipeline.core.error_causes import DISK_FULL
from pipeline.core.processes import forward_output, wait_or_kill

_GRACE_SECONDS = 5.0
"""How long all workers together may take to end after SIGTERM; then SIGKILL ends them.

A worker ends at once unless it is stopped or waits in native code. A longer grace period would
delay Ctrl-C by as much, and an outer supervisor could kill this process meanwhile.
"""
_OUTPUT_SECONDS = 1.0
"""How long an ended worker's last lines are waited for. A child of the worker may keep its pipe
open, so that the output has no end."""

WORKER_COMMAND = (sys.executable, "-m", "components.supervision.worker")


class ProcessLauncher:
    """Starts `command` for each task, with the job as a line on its standard input.

    `tasks` gives the number of processes by task type. The pipe to each worker stays open: a worker
    ends when its pipe closes, because then its supervisor has ended. `network` is None if the
    processes run no server.
    """

    def __init__(
        self,
        job: str,
        tasks: Mapping[str, int],
        command: Sequence[str] = WORKER_COMMAND,
        network: PrivateNetworkChoice | None = "auto",
    ) -> None:
        self._job = job
        self._tasks = dict(tasks)
        self._command = list(command)
        self._network = network

    def start(self) -> ProcessAttempt:
        cluster = make_local_cluster(self._tasks)
        network = make_network(self._network, cluster) if self._network else None
        return ProcessAttempt(cluster, self._job, self._command, network)


class ProcessAttempt:
    """The processes of one cluster, in the network if there is one; `stop` closes the network."""

    def __init__(
        self,
        cluster: Cluster,
        job: str,
        command: Sequence[str] = WORKER_COMMAND,
        network: PrivateNetwork | None = None,
    ) -> None:
        self._network = network
        self._scratch = tempfile.TemporaryDirectory(prefix="workers-")
        self._workers: list[WorkerProcess] = []
        try:
            for task in cluster.tasks:
                directory = Path(self._scratch.name, task.name)
                directory.mkdir()
                variables = {"TF_CONFIG": cluster.to_tf_config(task)}
                is_server = cluster.is_server(task)
                self._workers.append(
                    WorkerProcess(task.name, directory, variables, job, command, is_server, network)
                )
        except BaseException:
            self.stop()
            raise

    def read_statuses(self) -> Sequence[WorkerStatus]:
        return [worker.read_status() for worker in self._workers]

    def stop(self) -> None:
        for worker in self._workers:
            worker.terminate()
        deadline = time.monotonic() + _GRACE_SECONDS
        for worker in self._workers:
            worker.end(max(deadline - time.monotonic(), 0))
        self._scratch.cleanup()
        if self._network is not None:
            self._network.close()


class WorkerProcess:
    """One worker's process.

    The process writes its progress and its failure report to files in `directory`. A thread copies
    its output to this process's standard error. The process inherits the descriptors `inherited`.
    """

    def __init__(
        self,
        name: str,
        directory: Path,
        variables: Mapping[str, str],
        job: str,
        command: Sequence[str],
        is_server: bool = False,
        network: PrivateNetwork | None = None,
        inherited: Sequence[int] = (),
    ) -> None:
        self._name = name
        self._network = network
        self._is_server = is_server
        self._steps = directory / "steps"
        self._report = directory / "report"
        paths = {STEPS_VARIABLE: str(self._steps), REPORT_VARIABLE: str(self._report)}
        self._process = subprocess.Popen(
            network.wrap(command) if network else list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | variables | paths,
            pass_fds=(*inherited, *(network.descriptors if network else ())),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._output = threading.Thread(
            target=forward_output, args=(self._process.stdout, name), daemon=True
        )
        self._output.start()
        # A broken pipe means that the process has ended; its exit code tells.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(job.encode() + b"\n")
            self._process.stdin.flush()

    def read_status(self) -> WorkerStatus:
        """Returns the process's exit code and what it has written to its files."""
        code = self._process.poll()
        steps, ticks = json.loads(_read_text(self._steps) or "[-1, 0]")
        report = self._read_report(code) if code else None
        return WorkerStatus(self._name, code, report, steps, ticks, self._is_server)

    def _read_report(self, code: int) -> FailureReport | None:
        """Returns the failure report, or None if the worker was killed before it wrote all of it.

        A worker whose disk was too full for the report has ended with the error number.
        """
        if code in DISK_FULL:
            return FailureReport.from_exception(OSError(code, os.strerror(code)))
        try:
            report = FailureReport.from_json(_read_text(self._report))
        except ValueError:
            return None
        return explain_missing_network(report) if self._network else report

    def terminate(self) -> None:
        """Sends SIGTERM if the process still runs."""
        self._process.terminate()

    def end(self, seconds: float = _GRACE_SECONDS) -> None:
        """Waits `seconds` for the end of the process, then kills it; reads its last lines."""
        # A stopped process, or one that waits for a peer in native code, has to be killed.
        wait_or_kill(self._process, seconds)
        self._output.join(_OUTPUT_SECONDS)
        assert self._process.stdin is not None
        # Closing flushes what the process never read, and its pipe is broken by now.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()


def _read_text(path: Path) -> str:
    """Returns the file's text, or an empty string if there is no file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
