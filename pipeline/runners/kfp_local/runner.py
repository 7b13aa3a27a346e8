"""Runs a compiled pipeline: each task in order, from the cache or with its retries."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.bucket import Bucket
from pipeline.runners.kfp_local.driver import (
    Run,
    compute_cache_key,
    provision_outputs,
    resolve_inputs,
)
from pipeline.runners.kfp_local.guard import Guard
from pipeline.runners.kfp_local.launcher import Launcher, TaskFailedError
from pipeline.runners.kfp_local.spec import PipelineFile, Task
from pipeline.runners.kfp_local.staging import Staging
from pipeline.runners.kfp_local.starters import Starter
from pipeline.runners.kfp_local.state import Outputs, State
from pipeline.runners.workspace.lock import add_holder, lock_directory

_ROOT = "minio://mlpipeline/v2/artifacts"
"""The default pipeline root of a Kubeflow installation."""


@dataclass
class Outcome:
    """The outcome of one task."""

    name: str
    state: str = "not started"
    """ran, cached or failed; not started if another task failed before."""
    is_exit: bool = False
    """Whether the task is an exit task, which never decides how the run ends."""
    seconds: float = 0.0
    attempts: int = 0
    message: str = ""
    exit_code: int = 0
    log: str = ""
    artifacts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The output artifacts by name, in the form that downstream tasks receive."""


class Runner:
    """Runs compiled pipelines in one directory.

    The directory holds everything that outlives a run: artifacts, logs, metadata and the cache.
    """

    def __init__(self, directory: Path, starter: Starter, root: str = "") -> None:
        self._directory = directory.absolute()
        self._starter = starter
        self._root = root

    def run(self, pipeline: PipelineFile, parameters: Mapping[str, str]) -> Iterator[Outcome]:
        """Runs the pipeline; yields each task's outcome as soon as the task ends.

        After a failure no further task is started but the exit tasks.

        Raises:
          ConfigError: a parameter is unknown or has no value, the directory cannot be used, or
            another run uses the directory.
        """
        values = _complete_parameters(pipeline, parameters)
        with lock_directory(self._directory, "--directory") as lock:
            run = self._new_run(pipeline, values)
            logs = self._directory / "logs" / datetime.now().strftime("%Y%m%d-%H%M%S-%f")
            logs.mkdir(parents=True)
            with contextlib.closing(Guard(lock)) as guard:
                add_holder(lock, guard.pid)
                bucket = Bucket(self._directory / "buckets")
                staging = Staging(self._directory / "staging", self._starter)
                staging.remove_leftovers()
                launcher = Launcher(bucket, run.state, self._starter, guard, staging)
                yield from _Execution(run, launcher, logs).outcomes(pipeline.tasks)

    def _new_run(self, pipeline: PipelineFile, values: Mapping[str, Any]) -> Run:
        identity = str(uuid.uuid4())
        root = (self._root or pipeline.root or _ROOT).rstrip("/")
        run_root = f"{root}/{pipeline.name}/{identity}"
        return Run(pipeline.name, identity, run_root, values, State(self._directory / "state.db"))


def _complete_parameters(pipeline: PipelineFile, parameters: Mapping[str, str]) -> dict[str, Any]:
    for name in parameters:
        if name not in pipeline.parameters:
            known = ", ".join(pipeline.parameters)
            raise ConfigError(f"--parameter {name}: unknown", f"the file has: {known}")
    values = {**pipeline.parameters, **parameters}
    for name, value in values.items():
        if value is None:
            raise ConfigError(f"parameter {name} has no default: --parameter {name}=VALUE")
    return values


@dataclass(frozen=True)
class _Execution:
    """The state of one run in progress."""

    run: Run
    launcher: Launcher
    logs: Path
    done: dict[str, Outputs] = field(default_factory=dict)

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        failed = False
        ended: set[str] = set()
        for task in tasks:
            outcome = Outcome(task.name, is_exit=task.is_exit)
            # Kubeflow runs an exit task when what it waits for has ended, however, but not without.
            if task.upstream & ended if task.is_exit else not failed:
                started = time.monotonic()
                self._run_task(replace(task, run=self.run.identity), outcome)
                outcome.seconds = time.monotonic() - started
                failed |= outcome.state == "failed"
                ended.add(task.name)
            yield outcome

    def _run_task(self, task: Task, outcome: Outcome) -> None:
        state = self.run.state
        executor_input = {
            "inputs": resolve_inputs(task, self.run, self.done),
            "outputs": provision_outputs(task, self.run),
        }
        key = compute_cache_key(task, executor_input) if task.is_cacheable else ""
        outputs = state.find_cached(self.run.pipeline, key) if key else None
        outcome.state = "cached"
        if outputs is None:
            outputs = self._run_attempts(task, executor_input, outcome)
            if outputs is None:
                return
            if key:
                state.add_execution(self.run.pipeline, key, outputs)
        self.done[task.name] = outputs
        outcome.artifacts = {
            name: state.artifact(number) for name, number in outputs.artifacts.items()
        }

    def _run_attempts(self, task: Task, executor_input: Any, outcome: Outcome) -> Outputs | None:
        """Runs the task until an attempt succeeds or its retries end; None if all attempts fail.

        Every failure is retried, as by Argo.
        """
        started = time.monotonic()
        for attempt in range(task.retries.count + 1):
            log = self.logs / (f"{task.name}-{attempt}.log" if attempt else f"{task.name}.log")
            outcome.attempts, outcome.log = attempt + 1, str(log)
            try:
                outputs = self.launcher.attempt(task, executor_input, log)
            except TaskFailedError as failure:
                outcome.state = "failed"
                outcome.message, outcome.exit_code = str(failure), failure.exit_code
                pause = task.retries.pause(attempt)
                is_over = time.monotonic() + pause - started > task.retries.longest
                if attempt == task.retries.count or is_over:
                    break
                time.sleep(pause)
            else:
                outcome.state, outcome.message, outcome.exit_code = "ran", "", 0
                return outputs
        return None
