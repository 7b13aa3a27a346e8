"""What a run's metadata says: each node's state, its outputs, and where they came from.

Plain values, without MLMD's types: on Kubeflow they come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ml_metadata import MetadataStore
    from ml_metadata.proto import metadata_store_pb2 as mlmd


@dataclass(frozen=True)
class ArtifactView:
    """An output of a node in this run: made by the run, or taken from the cache."""

    id: int
    key: str
    """The key of the output, such as `model`."""
    type: str
    uri: str
    properties: Mapping[str, Any]
    """The custom properties."""
    run_id: str | None
    """The id in ML Metadata of the run that made the artifact."""
    parents: tuple[int, ...]
    """The ids of the artifacts that the producer read, ascending."""


@dataclass(frozen=True)
class NodeView:
    """A node that the run reached."""

    state: str
    """complete, cached or failed."""
    upstream: tuple[str, ...]
    """The nodes of this run whose outputs the node read."""
    outputs: Mapping[str, ArtifactView]
    """By the key of the output; the last artifact if a key has several."""


def read_nodes(store: MetadataStore, run_id: str) -> dict[str, NodeView]:
    """Returns the nodes that the run has reached, by id."""
    # Imported here: the module imports MLMD, which most commands do not need.
    from pipeline.runners.workspace import metadata

    executions = metadata.get_executions(store, run_id)
    outputs = {node: metadata.get_outputs(store, e) for node, e in executions.items()}
    artifacts = [a for by_key in outputs.values() for a in by_key.values()]
    producers = _find_producers(store, artifacts)
    owners = {a.id: node for node, by_key in outputs.items() for a in by_key.values()}
    inputs = _read_inputs(store, {e.id for e in executions.values()} | {*producers.values()})
    runs = {i: _find_run(store, i) for i in {*producers.values()}}

    def view(key: str, artifact: mlmd.Artifact) -> ArtifactView:
        producer = producers.get(artifact.id)
        return ArtifactView(
            id=artifact.id,
            key=key,
            type=artifact.type,
            uri=artifact.uri,
            properties={n: metadata.get_property(artifact, n) for n in artifact.custom_properties},
            run_id=runs.get(producer) if producer else None,
            parents=inputs.get(producer, ()) if producer else (),
        )

    return {
        node: NodeView(
            state=metadata.get_state(execution),
            upstream=tuple(sorted({owners[i] for i in inputs[execution.id] if i in owners})),
            outputs={key: view(key, artifact) for key, artifact in outputs[node].items()},
        )
        for node, execution in executions.items()
    }


def _find_producers(store: MetadataStore, artifacts: Iterable[mlmd.Artifact]) -> dict[int, int]:
    """Returns the execution that made each artifact: the first one that has it as its output."""
    producers: dict[int, int] = {}
    for event in store.get_events_by_artifact_ids([a.id for a in artifacts]):
        if event.type in (event.OUTPUT, event.DECLARED_OUTPUT):
            first = producers.get(event.artifact_id, event.execution_id)
            producers[event.artifact_id] = min(first, event.execution_id)
    return producers


def _read_inputs(store: MetadataStore, executions: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Returns the ids of the artifacts that each execution read."""
    inputs: dict[int, set[int]] = {execution: set() for execution in executions}
    for event in store.get_events_by_execution_ids([*inputs]):
        if event.type in (event.INPUT, event.DECLARED_INPUT):
            inputs[event.execution_id].add(event.artifact_id)
    return {execution: tuple(sorted(ids)) for execution, ids in inputs.items()}


def _find_run(store: MetadataStore, execution: int) -> str | None:
    contexts = store.get_contexts_by_execution(execution)
    return next((str(c.name) for c in contexts if c.type == "pipeline_run"), None)
