"""A launcher that sends events about each node, since TFX's LocalDagRunner has no hooks."""

from __future__ import annotations

import contextlib
import functools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from ml_metadata.proto import metadata_store_pb2 as mlmd
from tfx.orchestration.portable import launcher

from components.engine.leftovers import sweep_leftovers
from pipeline.core.contracts import LARGE_ARTIFACTS, Property
from pipeline.core.errors import PipelineError
from pipeline.core.events import ComponentChanged, ComponentState, RunEnded, emit
from pipeline.runners.workspace import metadata
from pipeline.runners.workspace.seal import seal


class ComponentError(Exception):
    """A component failed; its own exception is the cause of this one."""

    def __init__(self, component: str) -> None:
        super().__init__(component)
        self.component = component
        self.verdict: RunEnded | None = None
        """The outcome of a run whose failed component comes after the push."""


class _ReportingLauncher(launcher.Launcher):
    """Launches a node as TFX does, sends its events, and seals its output artifacts."""

    def __init__(
        self, prepare: Callable[[str], None], fetch: Callable[[list[str]], None], **node: Any
    ) -> None:
        super().__init__(**node)
        self._prepare = prepare
        self._fetch = fetch
        self._run_id = str(self._pipeline_runtime_spec.pipeline_run_id.field_value.string_value)

    def _run_executor(self, execution_info: Any) -> Any:
        self._prepare(self._pipeline_node.node_info.id)
        self._fetch([a.uri for artifacts in execution_info.input_dict.values() for a in artifacts])
        result = super()._run_executor(execution_info)
        for artifacts in result.output_artifacts.values():
            for artifact in artifacts.artifacts:
                sweep_leftovers(artifact.uri)
                artifact.custom_properties[Property.FILES].string_value = seal(artifact.uri)
        return result

    def launch(self) -> Any:
        node = self._pipeline_node.node_info.id
        emit(ComponentChanged(node, "running"))
        started = time.monotonic()
        try:
            result = super().launch()
        except BaseException as error:
            state: ComponentState = "failed" if isinstance(error, Exception) else "interrupted"
            emit(ComponentChanged(node, state, seconds=time.monotonic() - started))
            if isinstance(error, Exception):
                raise ComponentError(node) from error
            raise
        seconds = time.monotonic() - started
        with self._mlmd_connection as connection:
            execution = metadata.get_executions(connection.store, self._run_id).get(node)
            state = metadata.get_state(execution)
            rows, note = _rows_and_note(connection.store, execution)
            if state == "cached":
                self._fetch(_list_small(connection.store, execution))
        emit(ComponentChanged(node, state, seconds, rows, note))
        if state not in ("complete", "cached"):
            # LocalDagRunner itself would continue with the next node.
            raise ComponentError(node) from PipelineError(f"{node} could not resolve its inputs")
        return result


def _rows_and_note(
    store: Any, execution: mlmd.Execution | None
) -> tuple[dict[str, int] | None, str | None]:
    """Returns the rows of each split and the sentence for the user, each None if absent.

    A component writes both as properties of its outputs, so a cached component has them too.
    """
    rows: dict[str, int] | None = None
    note: str | None = None
    outputs = metadata.get_outputs(store, execution) if execution else {}
    for artifact in outputs.values():
        if text := metadata.get_property(artifact, Property.ROWS):
            rows = json.loads(text)
        note = metadata.get_property(artifact, Property.NOTE) or note
    return rows, note


def _list_small(store: Any, execution: mlmd.Execution | None) -> list[str]:
    """Returns the directories of the outputs that the run may read at its end, without rows."""
    outputs = metadata.get_outputs(store, execution) if execution else {}
    return [a.uri for a in outputs.values() if a.type not in LARGE_ARTIFACTS]


@contextlib.contextmanager
def replace_launcher(
    prepare: Callable[[str], None] = lambda node: None,
    fetch: Callable[[list[str]], None] = lambda directories: None,
) -> Iterator[None]:
    """Replaces TFX's launcher in a `with` statement.

    Args:
      prepare: is called with the id of each node that does not come from the cache, before the
        node does its work.
      fetch: is called with the directories of artifacts before they are read.
    """
    stock = launcher.Launcher
    launcher.Launcher = functools.partial(_ReportingLauncher, prepare, fetch)
    try:
        yield
    finally:
        launcher.Launcher = stock
