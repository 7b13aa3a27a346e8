"""The artifacts and executions of a workspace and what connects them, read from ML Metadata."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ml_metadata.proto import metadata_store_pb2 as mlmd

if TYPE_CHECKING:
    from ml_metadata import MetadataStore

ExecutionState = Literal["complete", "cached", "failed", "unfinished"]

_STATES: dict[int, ExecutionState] = {
    mlmd.Execution.COMPLETE: "complete",
    mlmd.Execution.CACHED: "cached",
    mlmd.Execution.FAILED: "failed",
    mlmd.Execution.CANCELED: "failed",
}
_INPUTS = (mlmd.Event.INPUT, mlmd.Event.DECLARED_INPUT, mlmd.Event.INTERNAL_INPUT)
_BATCH = 500
"""Executions whose events are read at once: SQLite limits the length of a statement."""


@dataclass(frozen=True)
class Artifact:
    """One artifact."""

    id: int
    type: str
    """The name of its type, such as `Model`."""
    uri: str
    is_live: bool
    """Whether its component may still be cached; False for a deleted one."""
    created: datetime
    """With the time zone of this machine."""
    properties: Mapping[str, Any]
    """Its custom properties."""


@dataclass(frozen=True)
class Execution:
    """One execution of a component, or its result from the cache."""

    id: int
    component: str
    """The id of the node."""
    state: ExecutionState
    started: datetime
    """With the time zone of this machine."""
    run_id: str | None
    """The run's id in ML Metadata; None for an execution outside of all runs."""
    properties: Mapping[str, Any]
    """The arguments of the component."""
    inputs: tuple[int, ...]
    """The ids of its artifacts, in ascending order."""
    outputs: tuple[int, ...]
    """As `inputs`; those of a cached execution are an earlier execution's."""


@dataclass(frozen=True)
class Graph:
    """All artifacts and executions, by their ids in ascending order."""

    artifacts: Mapping[int, Artifact]
    executions: Mapping[int, Execution]

    @cached_property
    def makers(self) -> Mapping[int, Execution]:
        """The execution that made each artifact, by the artifact's id.

        An imported artifact has none.
        """
        made = (e for e in self.executions.values() if e.state != "cached")
        return {artifact: e for e in made for artifact in e.outputs}

    @cached_property
    def readers(self) -> Mapping[int, list[Execution]]:
        """The executions that read each artifact, without cached ones, by the artifact's id."""
        readers: dict[int, list[Execution]] = defaultdict(list)
        for execution in self.executions.values():
            for artifact in execution.inputs if execution.state != "cached" else ():
                readers[artifact].append(execution)
        return readers

    @cached_property
    def runs(self) -> Mapping[str, list[Execution]]:
        """The executions of each run, by the run's id in ML Metadata; the oldest run first."""
        runs: dict[str, list[Execution]] = defaultdict(list)
        for execution in self.executions.values():
            if execution.run_id is not None:
                runs[execution.run_id].append(execution)
        return runs


def read_graph(store: MetadataStore) -> Graph:
    """Returns everything that the metadata knows of artifacts and executions."""
    types = {t.id: str(t.name) for t in store.get_artifact_types()}
    artifacts = (_read_artifact(a, types[a.type_id]) for a in store.get_artifacts())
    runs = _read_contexts(store, "pipeline_run")
    nodes = _read_contexts(store, "node")
    found = sorted(store.get_executions(), key=lambda e: e.id)
    events = _read_events(store, [e.id for e in found])
    executions = (
        _read_execution(e, nodes.get(e.id, str(e.type)), runs.get(e.id), events[e.id])
        for e in found
    )
    return Graph(
        {a.id: a for a in sorted(artifacts, key=lambda a: a.id)}, {e.id: e for e in executions}
    )


def _read_artifact(artifact: mlmd.Artifact, type_name: str) -> Artifact:
    return Artifact(
        id=int(artifact.id),
        type=type_name.rpartition(".")[2],
        uri=str(artifact.uri),
        is_live=artifact.state == mlmd.Artifact.LIVE,
        created=_time(artifact.create_time_since_epoch),
        properties=_values(artifact.custom_properties),
    )


def _read_execution(
    execution: mlmd.Execution, node: str, run_id: str | None, events: list[mlmd.Event]
) -> Execution:
    inputs = {int(event.artifact_id) for event in events if event.type in _INPUTS}
    outputs = {int(event.artifact_id) for event in events if event.type not in _INPUTS}
    return Execution(
        id=int(execution.id),
        # TFX names the context of a node PIPELINE.NODE.
        component=node.rpartition(".")[2],
        state=_STATES.get(execution.last_known_state, "unfinished"),
        started=_time(execution.create_time_since_epoch),
        run_id=run_id,
        properties=_values(execution.custom_properties) | _values(execution.properties),
        inputs=tuple(sorted(inputs)),
        outputs=tuple(sorted(outputs)),
    )


def _read_contexts(store: MetadataStore, type_name: str) -> dict[int, str]:
    """Returns the name of the context of a type that each execution has, by the execution's id."""
    return {
        int(execution.id): str(context.name)
        for context in store.get_contexts_by_type(type_name)
        for execution in store.get_executions_by_context(context.id)
    }


def _read_events(store: MetadataStore, ids: list[int]) -> Mapping[int, list[mlmd.Event]]:
    events: dict[int, list[mlmd.Event]] = defaultdict(list)
    for start in range(0, len(ids), _BATCH):
        for event in store.get_events_by_execution_ids(ids[start : start + _BATCH]):
            events[event.execution_id].append(event)
    return events


def _values(properties: Mapping[str, mlmd.Value]) -> dict[str, Any]:
    named = ((name, value, value.WhichOneof("value")) for name, value in properties.items())
    return {name: getattr(value, kind) for name, value, kind in named if kind}


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000).astimezone()
