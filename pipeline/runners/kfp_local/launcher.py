"""Kubeflow's launcher: stages a task's inputs, runs its process, and collects its outputs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pipeline.core.errors import PipelineError
from pipeline.core.processes import end_group
from pipeline.runners.kfp_local.bucket import Bucket, staged_path
from pipeline.runners.kfp_local.driver import LOGS
from pipeline.runners.kfp_local.expansion import expand_variables
from pipeline.runners.kfp_local.guard import GRACE_SECONDS, Guard
from pipeline.runners.kfp_local.placeholders import fill_in_placeholders
from pipeline.runners.kfp_local.spec import Json, Task
from pipeline.runners.kfp_local.staging import Staging
from pipeline.runners.kfp_local.starters import Starter
from pipeline.runners.kfp_local.state import Outputs, State
from pipeline.runners.kfp_local.values import parse_output, to_stored_metadata


class TaskFailedError(Exception):
    """The task's process failed, or its outputs cannot be read."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class Launcher:
    """Runs tasks, one at a time."""

    bucket: Bucket
    state: State
    starter: Starter
    guard: Guard
    staging: Staging

    def attempt(self, task: Task, executor_input: Json, log: Path) -> Outputs:
        """Runs the task once in a staging directory of its own, and returns its outputs.

        Raises:
          TaskFailedError: the task failed; the message holds the end of its log.
        """
        with self.staging.attempt() as staging:
            self._stage_files(executor_input, staging)
            seen = _move_files(executor_input, self.starter.task_root(staging))
            self._run(task, seen, staging, log)
            self.staging.make_readable(staging)
            try:
                return self._collect_outputs(task, executor_input, staging)
            except PermissionError as error:
                raise TaskFailedError(
                    f"its outputs cannot be read: {error.filename}: {error.strerror}"
                ) from None

    def _stage_files(self, executor_input: Json, staging: Path) -> None:
        for artifacts in executor_input["inputs"]["artifacts"].values():
            self.bucket.download(artifacts["artifacts"][0]["uri"], staging)
        for artifacts in executor_input["outputs"]["artifacts"].values():
            parent = staged_path(artifacts["artifacts"][0]["uri"], staging).parent
            parent.mkdir(parents=True, exist_ok=True)
        (staging / "tmp/kfp/outputs").mkdir(parents=True)
        self.starter.share(staging)

    def _run(self, task: Task, executor_input: Json, staging: Path, log: Path) -> None:
        argv = self._command_line(task, executor_input, staging)
        with log.open("wb") as file:
            process = self._start(task, argv, staging, file)
            with self.guard.watch_task(process.pid):
                try:
                    process.wait(task.deadline)
                except subprocess.TimeoutExpired:
                    raise TaskFailedError(f"exceeded its deadline of {task.deadline:g} s") from None
                finally:
                    # What the task started ends with the task, as in a container of Kubernetes.
                    end_group(process, GRACE_SECONDS)
        if process.returncode != 0:
            code = process.returncode
            raise TaskFailedError(_describe_failure(log, code), code if code > 0 else 1)

    def _command_line(self, task: Task, executor_input: Json, staging: Path) -> list[str]:
        """Returns the command line with variables expanded and placeholders filled in.

        Kubernetes expands variables before the launcher runs. The ExecutorInput is an argument of
        the launcher, so variables in the inputs are expanded too.
        """
        inputs = expand_variables(json.dumps(executor_input), task.environment)
        command = [expand_variables(argument, task.environment) for argument in task.command]
        try:
            return fill_in_placeholders(
                command, json.loads(inputs), self.starter.task_root(staging)
            )
        except ValueError as error:
            raise TaskFailedError(
                f"variable expansion made its inputs invalid JSON: {error}"
            ) from None

    def _start(
        self, task: Task, argv: Sequence[str], staging: Path, log: BinaryIO
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self.starter.command(task, argv, staging),
                env=self.starter.environment(task, staging),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise TaskFailedError(f"cannot be started: {error}") from None

    def _collect_outputs(self, task: Task, executor_input: Json, staging: Path) -> Outputs:
        outputs = executor_input["outputs"]
        output_file = _move(outputs["outputFile"], staging)
        written = output_file.read_text(encoding="utf-8") if output_file.exists() else "{}"
        reported = json.loads(written)
        values = reported.get("parameterValues", {})
        return Outputs(
            {
                name: self._publish(name, artifacts["artifacts"][0], reported, staging)
                for name, artifacts in outputs["artifacts"].items()
                if name != LOGS
            },
            {
                name: values[name]
                if name in values
                else self._read_output_parameter(task, name, output["outputFile"], staging)
                for name, output in outputs["parameters"].items()
            },
        )

    def _publish(self, name: str, provisioned: Json, reported: Json, staging: Path) -> int:
        """Stores an artifact's files, and its metadata under a new number; returns the number."""
        written = reported.get("artifacts", {}).get(name, {}).get("artifacts") or [{}]
        uri = written[0].get("uri") or provisioned["uri"]
        metadata = {**provisioned.get("metadata", {}), **written[0].get("metadata", {})}
        try:
            self.bucket.upload(uri, staging)
            return self.state.add_artifact(uri, to_stored_metadata(metadata, name))
        except PipelineError as error:
            raise TaskFailedError(f"output artifact {name}: {error}") from None

    def _read_output_parameter(self, task: Task, name: str, path: str, staging: Path) -> Any:
        kind = task.outputs("parameters")[name]["parameterType"]
        file = _move(path, staging)
        try:
            return parse_output(file.read_text(encoding="utf-8"), kind)
        except (OSError, ValueError, PipelineError) as error:
            raise TaskFailedError(f"output parameter {name}: {error}") from None


def _move_files(executor_input: Json, root: Path) -> Json:
    """Returns the ExecutorInput with the paths of files below `root` instead of a pod's root."""
    outputs = executor_input["outputs"]
    files = {
        name: {"outputFile": str(_move(output["outputFile"], root))}
        for name, output in outputs["parameters"].items()
    }
    output_file = str(_move(outputs["outputFile"], root))
    return {
        **executor_input,
        "outputs": {**outputs, "parameters": files, "outputFile": output_file},
    }


def _move(path: str, root: Path) -> Path:
    """Returns the path of a pod's file below `root`."""
    return root / Path(path).relative_to("/")


def _describe_failure(log: Path, code: int) -> str:
    """Returns how the process ended, and the log from its last line that begins with "Error: ".

    Without such a line, the last ten lines of the log follow: the end of a traceback.
    """
    lines = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    errors = [index for index, line in enumerate(lines) if line.startswith("Error: ")]
    tail = lines[errors[-1] :] if errors else lines[-10:]
    end = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return "\n".join([end, *tail])
