"""What MLMD knows of a run: states, outputs, and what dead processes left."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import Any, Literal

from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from components.served_model.pointer import read_pointer
from pipeline.runners.workspace.seal import PROPERTY, is_whole

NodeState = Literal["complete", "cached", "failed"]

_UNFINISHED = (mlmd.Execution.NEW, mlmd.Execution.RUNNING)
_FINISHED = (mlmd.Execution.COMPLETE, mlmd.Execution.CACHED)
_STATES: dict[int, NodeState] = {
    mlmd.Execution.COMPLETE: "complete",
    mlmd.Execution.CACHED: "cached",
    mlmd.Execution.FAILED: "failed",
    mlmd.Execution.CANCELED: "failed",
}


def executions_of(store: MetadataStore, run_id: str) -> dict[str, mlmd.Execution]:
    """The execution of each node that a run came to."""
    context = store.get_context_by_type_and_name("pipeline_run", run_id)
    if context is None:
        return {}
    return {_node(store, e): e for e in store.get_executions_by_context(context.id)}


def state_of(execution: mlmd.Execution | None) -> NodeState:
    """Returns the state of a node's execution; without an execution the node failed to start."""
    return "failed" if execution is None else _STATES.get(execution.last_known_state, "failed")


def outputs_of(store: MetadataStore, execution: mlmd.Execution) -> dict[str, mlmd.Artifact]:
    """The output artifacts by their key."""
    events = [
        event
        for event in store.get_events_by_execution_ids([execution.id])
        if event.type in (mlmd.Event.OUTPUT, mlmd.Event.DECLARED_OUTPUT)
    ]
    artifacts = {a.id: a for a in store.get_artifacts_by_id([e.artifact_id for e in events])}
    return {event.path.steps[0].key: artifacts[event.artifact_id] for event in events}


def property_of(artifact: mlmd.Artifact, name: str) -> Any:
    """A custom property's value, or None."""
    if name not in artifact.custom_properties:
        return None
    value = artifact.custom_properties[name]
    return getattr(value, value.WhichOneof("value"))


def sweep_unfinished(store: MetadataStore, artifacts: Path) -> None:
    """Marks what dead processes left as failed, and removes what no finished execution owns.

    Only for the holder of the output directory's lock.
    """
    executions = store.get_executions()
    finished = {str(e.id) for e in executions if e.last_known_state in _FINISHED}
    # TFX lays an execution's files out as NODE/OUTPUT/ID, and as NODE/.system/KIND/ID.
    for pattern in ("*/[!.]*/*", "*/.system/*/*"):
        for directory in artifacts.glob(pattern):
            if directory.name not in finished:
                shutil.rmtree(directory, ignore_errors=True)
    for execution in executions:
        if execution.last_known_state in _UNFINISHED:
            execution.last_known_state = mlmd.Execution.FAILED
            store.put_executions([execution])


def sweep_damaged(store: MetadataStore, artifacts: Path) -> None:
    """Marks artifacts that are no longer whole as deleted, and removes what is left of them.

    The cache looks at states, not at files; everybody else looks whether the directory is there.
    Only what lies below `artifacts` is removed: a copied output directory names the original's.
    """
    for artifact in store.get_artifacts():
        if artifact.state == mlmd.Artifact.LIVE and not _is_usable(artifact):
            logging.warning("%s is no longer whole; its work is done anew", artifact.uri)
            if artifacts in Path(artifact.uri).parents:
                shutil.rmtree(artifact.uri, ignore_errors=True)
            artifact.state = mlmd.Artifact.DELETED
            store.put_artifacts([artifact])


def _is_usable(artifact: mlmd.Artifact) -> bool:
    version = property_of(artifact, "pushed_destination")
    gone = version and not (Path(version).exists() and read_pointer(str(Path(version).parent)))
    return not gone and is_whole(artifact.uri, property_of(artifact, PROPERTY))


def _node(store: MetadataStore, execution: mlmd.Execution) -> str:
    """The node's id; TFX names the context PIPELINE.NODE."""
    contexts = store.get_contexts_by_execution(execution.id)
    return next(str(c.name).rpartition(".")[2] for c in contexts if c.type == "node")
