"""Reads states and outputs of a run from ML Metadata, and cleans up after killed runs."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from components.served_model.pointer import read_pointer
from components.served_model.waiting import find_waiting
from pipeline.core.contracts import Property
from pipeline.runners.workspace.on_store.fetching import list_stored
from pipeline.runners.workspace.seal import is_whole

NodeState = Literal["complete", "cached", "failed"]

_UNFINISHED = (mlmd.Execution.NEW, mlmd.Execution.RUNNING)
_FINISHED = (mlmd.Execution.COMPLETE, mlmd.Execution.CACHED)
_STATES: dict[int, NodeState] = {
    mlmd.Execution.COMPLETE: "complete",
    mlmd.Execution.CACHED: "cached",
    mlmd.Execution.FAILED: "failed",
    mlmd.Execution.CANCELED: "failed",
}


def get_executions(store: MetadataStore, run_id: str) -> dict[str, mlmd.Execution]:
    """Returns the execution of each node that a run has reached, by the node's id."""
    context = store.get_context_by_type_and_name("pipeline_run", run_id)
    if context is None:
        return {}
    return {_node_id(store, e): e for e in store.get_executions_by_context(context.id)}


def get_state(execution: mlmd.Execution | None) -> NodeState:
    """Returns the state of a node's execution; without an execution the node failed to start."""
    return "failed" if execution is None else _STATES.get(execution.last_known_state, "failed")


def get_outputs(store: MetadataStore, execution: mlmd.Execution) -> dict[str, mlmd.Artifact]:
    """Returns the execution's output artifacts by their key; the last one if a key has several.

    Artifacts that a full disk kept from being recorded are left out: see `half_written`.
    """
    events = [
        event
        for event in store.get_events_by_execution_ids([execution.id])
        if event.type in (mlmd.Event.OUTPUT, mlmd.Event.DECLARED_OUTPUT)
    ]
    artifacts = {a.id: a for a in store.get_artifacts_by_id([e.artifact_id for e in events])}
    recorded = (event for event in events if event.artifact_id in artifacts)
    return {event.path.steps[0].key: artifacts[event.artifact_id] for event in recorded}


def get_property(artifact: mlmd.Artifact, name: str) -> Any:
    """Returns the value of a custom property, or None if the artifact has no such property."""
    if name not in artifact.custom_properties:
        return None
    value = artifact.custom_properties[name]
    return getattr(value, value.WhichOneof("value"))


def sweep_unfinished(store: MetadataStore, artifacts: Path) -> None:
    """Marks the executions of dead processes as failed, and removes the files of unfinished ones.

    The caller must hold the lock of the output directory.
    """
    executions = store.get_executions()
    finished = {str(e.id) for e in executions if e.last_known_state in _FINISHED}
    # TFX writes an execution's files to NODE/OUTPUT/ID and to NODE/.system/KIND/ID.
    for pattern in ("*/[!.]*/*", "*/.system/*/*"):
        for directory in artifacts.glob(pattern):
            if directory.name not in finished:
                shutil.rmtree(directory, ignore_errors=True)
    for execution in executions:
        if execution.last_known_state in _UNFINISHED:
            execution.last_known_state = mlmd.Execution.FAILED
            store.put_executions([execution])


def sweep_damaged(store: MetadataStore, artifacts: Path) -> None:
    """Marks artifacts with lost or cut files as deleted, and removes their directories.

    TFX's cache trusts the state of an artifact and does not look at its files. Files that lie on a
    store are not lost: whoever needs them fetches them. Only directories below `artifacts` are
    removed: the metadata of a copied output directory names the artifacts of the original.
    """
    stored = list_stored(artifacts.parent)
    for artifact in store.get_artifacts():
        if artifact.state == mlmd.Artifact.LIVE and not _is_usable(artifact, stored):
            logging.warning("%s has lost files; its component runs again", artifact.uri)
            if artifacts in Path(artifact.uri).parents:
                shutil.rmtree(artifact.uri, ignore_errors=True)
            artifact.state = mlmd.Artifact.DELETED
            store.put_artifacts([artifact])


def _is_usable(artifact: mlmd.Artifact, stored: Collection[str]) -> bool:
    # A pushed version is also unusable if the serving directory has lost its pointer.
    version = get_property(artifact, Property.PUSHED_DESTINATION)
    gone = version and not (
        find_waiting(version)
        or (Path(version).exists() and read_pointer(str(Path(version).parent)))
    )
    if gone:
        return False
    sealed = get_property(artifact, Property.FILES)
    return artifact.uri in stored or is_whole(artifact.uri, sealed)


def _node_id(store: MetadataStore, execution: mlmd.Execution) -> str:
    """Returns the id of the execution's node; TFX names its context PIPELINE.NODE."""
    contexts = store.get_contexts_by_execution(execution.id)
    return next(str(c.name).rpartition(".")[2] for c in contexts if c.type == "node")
