"""A run: tasks in order, each from the cache or as often as its retries allow."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pipeline.config import ConfigError
from pipeline.runners.kfp_local.bucket import Bucket
from pipeline.runners.kfp_local.containers import Starter
from pipeline.runners.kfp_local.driver import Run, fingerprint, provision_outputs, resolve_inputs
from pipeline.runners.kfp_local.launcher import Launcher, TaskFailedError
from pipeline.runners.kfp_local.spec import PipelineFile, Task
from pipeline.runners.kfp_local.state import Outputs, State
from pipeline.runners.lock import locked

_ROOT = "minio://mlpipeline/v2/artifacts"
"""The default of a Kubeflow installation."""


@dataclass
class Outcome:
    """What came of one task."""

    name: str
    state: str = "not started"
    """ran, cached or failed; not started if another one failed before."""
    seconds: float = 0.0
    attempts: int = 0
    message: str = ""
    exit_code: int = 0
    log: str = ""
    artifacts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Its output artifacts, as the tasks after it are given them."""


class Runner:
    """Runs compiled pipelines in one directory, which holds all that outlives a run."""

    def __init__(self, directory: Path, starter: Starter, root: str = "") -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory.absolute()
        self._state = State(directory / "state.db")
        # The same for all tasks, as the root of every container is.
        self._staging = self._directory / "staging"
        self._root = root
        bucket = Bucket(self._directory / "buckets")
        self._launcher = Launcher(bucket, self._state, starter)

    def run(self, pipeline: PipelineFile, parameters: Mapping[str, str]) -> Iterator[Outcome]:
        """Each task's outcome as soon as it is known; after a failure none is started.

        Raises:
          ConfigError: a parameter is unknown, or has no value; or another run is at work here.
        """
        run = self._new_run(pipeline, parameters)
        with locked(self._directory, "--directory"):
            logs = self._directory / "logs" / datetime.now().strftime("%Y%m%d-%H%M%S-%f")
            logs.mkdir(parents=True)
            done: dict[str, Outputs] = {}
            failed = False
            for task in pipeline.tasks:
                outcome = Outcome(task.name)
                if not failed:
                    started = time.monotonic()
                    self._run_task(task, run, done, logs, outcome)
                    outcome.seconds = time.monotonic() - started
                    failed = outcome.state == "failed"
                yield outcome

    def _new_run(self, pipeline: PipelineFile, parameters: Mapping[str, str]) -> Run:
        for name in parameters:
            if name not in pipeline.parameters:
                known = ", ".join(pipeline.parameters)
                raise ConfigError(f"--parameter {name}: unknown", f"known here: {known}")
        values = {**pipeline.parameters, **parameters}
        for name, value in values.items():
            if value is None:
                raise ConfigError(f"parameter {name} has no default: --parameter {name}=VALUE")
        identity = str(uuid.uuid4())
        root = (self._root or pipeline.root or _ROOT).rstrip("/")
        return Run(
            pipeline.name, identity, f"{root}/{pipeline.name}/{identity}", values, self._state
        )

    def _run_task(
        self, task: Task, run: Run, done: dict[str, Outputs], logs: Path, outcome: Outcome
    ) -> None:
        root = self._launcher.starter.seen(self._staging)
        executor_input = {
            "inputs": resolve_inputs(task, run, done),
            "outputs": provision_outputs(task, run, root),
        }
        key = fingerprint(task, executor_input) if task.cached else ""
        outputs = self._state.cached(run.pipeline, key) if key else None
        outcome.state = "cached"
        if outputs is None:
            outputs = self._attempts(task, executor_input, logs, outcome)
            if outputs is None:
                return
            if key:
                self._state.remember(run.pipeline, key, outputs)
        done[task.name] = outputs
        outcome.artifacts = {
            name: self._state.artifact(number) for name, number in outputs.artifacts.items()
        }

    def _attempts(
        self, task: Task, executor_input: Any, logs: Path, outcome: Outcome
    ) -> Outputs | None:
        """Every failure is tried again, as Argo does it; None if none went well."""
        started = time.monotonic()
        for attempt in range(task.retries.count + 1):
            log = logs / (f"{task.name}-{attempt}.log" if attempt else f"{task.name}.log")
            outcome.attempts, outcome.log = attempt + 1, str(log)
            try:
                outputs = self._launcher.attempt(task, executor_input, self._staging, log)
            except TaskFailedError as failure:
                outcome.state = "failed"
                outcome.message, outcome.exit_code = str(failure), failure.exit_code
                pause = task.retries.pause(attempt)
                over = time.monotonic() + pause - started > task.retries.longest
                if attempt == task.retries.count or over:
                    break
                time.sleep(pause)
            else:
                outcome.state, outcome.message, outcome.exit_code = "ran", "", 0
                return outputs
        return None
