"""Leaves the record of a task on the shared volume, for the page that the exit task writes.

A volume that cannot be written costs the page and not the run: such errors only go to the log.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipeline.core.contracts import CustomConfigKey
from pipeline.core.errors import as_pipeline_error
from pipeline.core.events import Failure
from pipeline.core.processes import INTERRUPTED
from pipeline.runners.kubeflow.compiling.execution_properties import CODE_AND_VARIABLES, PROPERTIES
from pipeline.runners.kubeflow.compiling.parameter_encoding import decode_parameter
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory
from pipeline.runners.kubeflow.run_records.task_record import (
    OutputRecord,
    TaskRecord,
    digest_properties,
)
from pipeline.runners.reporting.reading.machine import read_hardware

_CODE = "--code="


@dataclass
class Result:
    """What a task tells about itself when it is complete."""

    outputs: Mapping[str, OutputRecord] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    """By the key of an output: the files to keep for the page, by their names."""
    outcome: Mapping[str, Any] = field(default_factory=dict)


def run_recorded(node: str, executor_input: Json, run: Callable[[], Result]) -> None:
    """Runs a task, and writes its record when it starts and when it ends.

    Raises:
      The same as `run`.
    """
    directory = RunDirectory.of_this_run()
    if directory is None:
        run()
        return
    record = _start(node, directory.run, executor_input)
    _write(directory, record)
    try:
        result = run()
    except BaseException as error:
        _write(directory, _fail(record, error))
        raise
    with _logged():
        for key, files in result.files.items():
            directory.keep_files(node, key, files)
    seconds = time.time() - record.started
    done = replace(record, state="complete", seconds=seconds, exit_code=0)
    _write(directory, replace(done, outputs=result.outputs, outcome=result.outcome))


def _start(node: str, run: str, executor_input: Json) -> TaskRecord:
    text = executor_input["inputs"].get("parameterValues", {}).get(PROPERTIES, "")
    artifacts = executor_input["inputs"].get("artifacts", {})
    return TaskRecord(
        node=node,
        run=run,
        state="running",
        started=time.time(),
        properties=digest_properties(text) if text else "",
        code=dict(_read_code(node, text)) if text else {},
        inputs={
            key: tuple(artifact["uri"] for artifact in each["artifacts"])
            for key, each in artifacts.items()
        },
        hardware=_describe_hardware(),
    )


def _describe_hardware() -> dict[str, str]:
    """Returns the hardware; {} where the container hides the files of the operating system."""
    with contextlib.suppress(OSError):
        return read_hardware()
    return {}


def _read_code(node: str, text: str) -> Iterator[tuple[str, str]]:
    """Yields the digests that the compiler and the DAG wrote into the component's properties."""
    properties = json.loads(decode_parameter(text))
    *flags, _ = json.loads(properties.get(CODE_AND_VARIABLES, "[null]"))
    for flag in flags:
        yield node, flag.removeprefix(_CODE)
    custom = json.loads(properties.get("custom_config") or "null")
    if isinstance(custom, dict) and CustomConfigKey.CODE in custom:
        yield f"{node}, loaded module", custom[CustomConfigKey.CODE]


def _fail(record: TaskRecord, error: BaseException) -> TaskRecord:
    ended = replace(record, seconds=time.time() - record.started)
    if isinstance(error, KeyboardInterrupt):
        return replace(ended, state="interrupted", exit_code=INTERRUPTED)
    failure = as_pipeline_error(error)
    return replace(
        ended,
        state="failed",
        exit_code=failure.exit_code,
        error=Failure(failure.message, failure.hint or None),
    )


def _write(directory: RunDirectory, record: TaskRecord) -> None:
    with _logged():
        directory.write(record)


@contextlib.contextmanager
def _logged() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        logging.warning("The page of the run will lack this task: %s", error)
