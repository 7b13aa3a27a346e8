"""The lineage of an artifact: everything that made it, and everything that it made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.core.contracts import Property
from pipeline.core.errors import ConfigError
from pipeline.runners.history.graph import Artifact, Execution, ExecutionState, Graph, read_graph
from pipeline.runners.history.lineage.facts import (
    DataSource,
    describe_artifact,
    describe_execution,
    read_source,
)
from pipeline.runners.history.lineage.subject import find_subject
from pipeline.runners.workspace.database import open_metadata
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.run_ids import match_runs


@dataclass(frozen=True)
class ArtifactNode:
    """An artifact of a lineage."""

    id: int
    type: str
    uri: str
    """The directory as the metadata names it."""
    path: str | None
    """The directory relative to the workspace; None if it lies elsewhere."""
    state: Literal["live", "deleted", "missing"]
    """deleted: `gc` removed it, or the next run noticed damage. missing: the files are gone."""
    created: str
    """ISO 8601 with an offset."""
    made_by: int | None
    """The id of the execution; None if unknown."""
    facts: Mapping[str, str]
    """What its component noted."""


@dataclass(frozen=True)
class ExecutionNode:
    """An execution of a lineage. Results from the cache are no executions of their own."""

    id: int
    component: str
    state: ExecutionState
    started: str
    """ISO 8601 with an offset."""
    run: str | None
    """The run's name, or, if its logs were removed, its id in ML Metadata."""
    facts: Mapping[str, str]
    """Its most important settings."""
    inputs: tuple[int, ...]
    """Ids of artifacts, as `outputs`."""
    outputs: tuple[int, ...]
    data: DataSource | None
    """The table that an ExampleGen read."""


@dataclass(frozen=True)
class Lineage:
    """The content of `lineage --json`."""

    format: int
    """The version of this layout: 1."""
    workspace: str
    """The output directory."""
    subject: str
    """What the lineage is of, in words."""
    remarks: tuple[str, ...]
    """Sentences for the user."""
    artifacts: Mapping[int, ArtifactNode]
    """By id."""
    executions: Mapping[int, ExecutionNode]
    """By id."""
    subjects: tuple[int, ...]
    """The ids of the artifacts that the lineage is of."""
    ancestors: tuple[int, ...]
    """The ids of the artifacts that they were made from."""
    descendants: tuple[int, ...]
    """The ids of the artifacts that were made from them."""

    def readers(self, artifact: int) -> list[ExecutionNode]:
        """Returns the executions that read the artifact."""
        return [e for e in self.executions.values() if artifact in e.inputs]


def trace(thing: str, workspace: Workspace) -> Lineage:
    """Returns the lineage of a version, an artifact, a path or a run.

    Raises:
      ConfigError: there is no metadata, or `thing` names nothing in this workspace.
    """
    store = open_metadata(workspace.metadata)
    if store is None:
        raise ConfigError(
            f"{workspace.metadata}: there is no metadata, so nobody knows what made {thing}",
            "name the --output of the run that made it",
        )
    graph = read_graph(store)
    names = {run_id: name for name, run_id in match_runs(workspace, graph.runs).items()}
    subject = find_subject(thing, workspace, graph, names)
    up = _close(subject.artifacts, lambda a: [e.inputs for e in _makers(graph, a)])
    down = _close(subject.sources, lambda a: [e.outputs for e in graph.readers.get(a, [])])
    makers = {e.id: e for a in (*subject.artifacts, *up, *down) for e in _makers(graph, a)}
    readers = {e.id: e for a in (*subject.sources, *down) for e in graph.readers.get(a, [])}
    own = {e: graph.executions[e] for e in subject.executions}
    unmade = {i: e for i, e in own.items() if e.state != "cached"}
    executions = dict(sorted((makers | readers | unmade).items()))
    artifacts = sorted({*subject.artifacts, *up, *down})
    describe = _Describer(workspace, graph, names)
    return Lineage(
        format=1,
        workspace=str(workspace.root),
        subject=subject.title,
        remarks=(*subject.remarks, *_remark_on_places(workspace, graph, subject.artifacts)),
        artifacts={a: describe.artifact(graph.artifacts[a]) for a in artifacts},
        executions={i: describe.execution(e) for i, e in executions.items()},
        subjects=subject.artifacts,
        ancestors=tuple(sorted(up)),
        descendants=tuple(sorted(down)),
    )


def _makers(graph: Graph, artifact: int) -> list[Execution]:
    return [graph.makers[artifact]] if artifact in graph.makers else []


def _close(start: Collection[int], follow: Callable[[int], Iterable[Collection[int]]]) -> set[int]:
    """Returns everything that `follow` leads to from `start`, without `start`."""
    found: set[int] = set()
    waiting = [*start]
    while waiting:
        next_ones = {a for ids in follow(waiting.pop()) for a in ids} - found
        found |= next_ones
        waiting += next_ones
    return found - {*start}


def _remark_on_places(
    workspace: Workspace, graph: Graph, artifacts: Collection[int]
) -> tuple[str, ...]:
    uris = [Path(graph.artifacts[a].uri) for a in artifacts]
    root = workspace.root.resolve()
    if not uris or any(uri.resolve().is_relative_to(root) for uri in uris):
        return ()
    return (f"The metadata names {uris[0]}: this workspace is a copy, or was moved.",)


@dataclass(frozen=True)
class _Describer:
    """Makes the nodes of a lineage."""

    workspace: Workspace
    graph: Graph
    names: Mapping[str, str]

    def artifact(self, artifact: Artifact) -> ArtifactNode:
        own = self.workspace.find_artifact(artifact.uri)
        places = (p for p in (own, Path(artifact.uri)) if p and p.is_dir())
        directory = next(places, None)
        lies_here = own is not None and (directory is None or directory == own)
        maker = self.graph.makers.get(artifact.id)
        return ArtifactNode(
            id=artifact.id,
            type=artifact.type,
            uri=artifact.uri,
            path=str(own.relative_to(self.workspace.root)) if own and lies_here else None,
            state="deleted" if not artifact.is_live else "live" if directory else "missing",
            created=artifact.created.isoformat(timespec="milliseconds"),
            made_by=maker.id if maker else None,
            facts=describe_artifact(artifact, directory),
        )

    def execution(self, execution: Execution) -> ExecutionNode:
        outputs = (self.graph.artifacts[a] for a in execution.outputs)
        prints = (a.properties.get(Property.INPUT_FINGERPRINT) for a in outputs)
        return ExecutionNode(
            id=execution.id,
            component=execution.component,
            state=execution.state,
            started=execution.started.isoformat(timespec="milliseconds"),
            run=self.names.get(execution.run_id or "", execution.run_id),
            facts=describe_execution(execution),
            inputs=execution.inputs,
            outputs=execution.outputs,
            data=read_source(execution, next(prints, None)),
        )
