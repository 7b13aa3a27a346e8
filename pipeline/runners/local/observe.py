"""LocalDagRunner, observed: it has no hooks, so its launcher tells of each node."""

from __future__ import annotations

import contextlib
import functools
import json
import time
from collections.abc import Iterator
from typing import Any

from ml_metadata.proto import metadata_store_pb2 as mlmd
from tfx.orchestration.portable import launcher

from pipeline.core.errors import PipelineError
from pipeline.core.events import emit
from pipeline.runners.workspace import metadata
from pipeline.runners.workspace.seal import PROPERTY, seal


class ComponentError(Exception):
    """A component failed; the cause is chained."""

    def __init__(self, component: str) -> None:
        super().__init__(component)
        self.component = component


class _ObservedLauncher(launcher.Launcher):
    """Launches a node as TFX does, emits its state, seconds and rows, and seals what it made."""

    def __init__(self, run_ids: list[str], **node: Any) -> None:
        super().__init__(**node)
        self._run_id = str(self._pipeline_runtime_spec.pipeline_run_id.field_value.string_value)
        if self._run_id not in run_ids:
            run_ids.append(self._run_id)

    def _run_executor(self, execution_info: Any) -> Any:
        result = super()._run_executor(execution_info)
        for artifacts in result.output_artifacts.values():
            for artifact in artifacts.artifacts:
                artifact.custom_properties[PROPERTY].string_value = seal(artifact.uri)
        return result

    def launch(self) -> Any:
        node = self._pipeline_node.node_info.id
        emit("component", name=node, state="running")
        started = time.monotonic()
        try:
            result = super().launch()
        except BaseException as error:
            state = "failed" if isinstance(error, Exception) else "interrupted"
            emit("component", name=node, state=state, seconds=time.monotonic() - started)
            if isinstance(error, Exception):
                raise ComponentError(node) from error
            raise
        seconds = time.monotonic() - started
        with self._mlmd_connection as connection:
            execution = metadata.executions_of(connection.store, self._run_id).get(node)
            state = metadata.state_of(execution)
            told = _told(connection.store, execution) if execution else {}
        emit("component", name=node, state=state, seconds=seconds, **told)
        if state not in ("complete", "cached"):
            # LocalDagRunner goes on after a node whose inputs could not be resolved.
            raise ComponentError(node) from PipelineError(f"{node} could not resolve its inputs")
        return result


def _told(store: Any, execution: mlmd.Execution) -> dict[str, Any]:
    """What a component of ours tells the user, cached or not, as properties of its outputs.

    `rows` is JSON of the rows of each split, `note` a sentence.
    """
    told: dict[str, Any] = {}
    for artifact in metadata.outputs_of(store, execution).values():
        if rows := metadata.property_of(artifact, "rows"):
            told["rows"] = json.loads(rows)
        if note := metadata.property_of(artifact, "note"):
            told["note"] = note
    return told


@contextlib.contextmanager
def observed_launches() -> Iterator[list[str]]:
    """While this lasts, every node emits events; the list receives the ids of the runs."""
    stock = launcher.Launcher
    run_ids: list[str] = []
    launcher.Launcher = functools.partial(_ObservedLauncher, run_ids)
    try:
        yield run_ids
    finally:
        launcher.Launcher = stock
