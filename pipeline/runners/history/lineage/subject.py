"""Finds what a user means by a version, a path, a number or the name of a run."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from components.served_model.served_record import ServedRecord, read_pointer_file
from pipeline.core.contracts import Property
from pipeline.core.errors import ConfigError
from pipeline.runners.history.graph import Artifact, Graph
from pipeline.runners.workspace.places import Workspace

SERVED = "served"
"""The word for the version that is served now."""
_SHOWN = 3
"""Names of each kind in a hint."""


@dataclass(frozen=True)
class Subject:
    """The artifacts whose lineage is asked for."""

    title: str
    artifacts: tuple[int, ...]
    """Their ids."""
    sources: tuple[int, ...]
    """Those of them whose effects are asked for: of a run, what the run did not take from the
    cache."""
    executions: tuple[int, ...] = ()
    """The ids of a run's executions; empty for anything else."""
    remarks: tuple[str, ...] = ()
    """What the user must know beside the lineage."""

    @classmethod
    def of(cls, title: str, artifact: Artifact, *remarks: str) -> Subject:
        """Returns the subject that is one artifact."""
        return cls(title, (artifact.id,), (artifact.id,), remarks=remarks)


def find_subject(
    thing: str, workspace: Workspace, graph: Graph, names: Mapping[str, str]
) -> Subject:
    """Returns the artifacts that `thing` names.

    Args:
      names: the name of each run, by the run's id in ML Metadata.

    Raises:
      ConfigError: `thing` names nothing here, or the metadata does not know the version.
    """
    run_ids = {name: run_id for run_id, name in names.items()} | {i: i for i in graph.runs}
    if thing in run_ids:
        return _find_run(thing, graph, run_ids[thing])
    path = Path(thing)
    if thing == SERVED or _is_version(thing, workspace, graph):
        return _find_version(thing, workspace, graph)
    if thing.isdigit() and int(thing) in graph.artifacts:
        return Subject.of(f"artifact {thing}", graph.artifacts[int(thing)])
    if path.exists() or "/" in thing:
        if path.resolve().parent == workspace.serving.resolve() and path.name.isdigit():
            return _find_version(path.name, workspace, graph)
        if artifact := _find_at(path, workspace, graph):
            return Subject.of(thing, artifact)
    raise _make_unknown_error(thing, workspace, graph, [*names.values()])


def _find_run(name: str, graph: Graph, run_id: str) -> Subject:
    executions = graph.runs[run_id]
    artifacts = sorted({a for e in executions for a in e.outputs})
    made = sorted({a for e in executions if e.state != "cached" for a in e.outputs})
    ids = tuple(execution.id for execution in executions)
    return Subject(f"run {name}", tuple(artifacts), tuple(made), ids)


def list_versions(graph: Graph) -> dict[str, Artifact]:
    """Returns the artifact of the push that made each version, the oldest version first.

    A later run whose model is served already has an artifact with the same version.
    """
    pushes = (a for a in reversed(graph.artifacts.values()) if _version(a))  # type: ignore[call-overload]
    found = {_version(artifact): artifact for artifact in pushes}
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


def _version(artifact: Artifact) -> str:
    return str(artifact.properties.get(Property.PUSHED_VERSION) or "")


def _is_version(thing: str, workspace: Workspace, graph: Graph) -> bool:
    is_served = (workspace.serving / thing).is_dir()
    return thing.isdigit() and (thing in list_versions(graph) or is_served)


def _find_version(thing: str, workspace: Workspace, graph: Graph) -> Subject:
    record = read_pointer_file(str(workspace.serving))
    if thing == SERVED and record is None:
        raise ConfigError(f"nothing is served in {workspace.serving}", "a run pushes a model")
    version = record.version if record and thing == SERVED else thing
    title = f"version {version}"
    if record and record.version == version:
        title += ", served now"
    if push := list_versions(graph).get(version):
        return Subject.of(title, push)
    model = _find_model(version, record, graph)
    if model is None:
        raise _make_unmade_error(version, record, workspace)
    remark = (
        f"The metadata does not know the push of version {version}: the run was killed after the "
        f"push. The pointer names its model."
    )
    return Subject.of(title, model, remark)


def _find_model(version: str, record: ServedRecord | None, graph: Graph) -> Artifact | None:
    """Returns the model of a version whose push the metadata does not know, by the pointer."""
    known = (record, record.reference, record.baseline) if record else ()
    uris = [r.model for r in known if r and r.version == version]
    return next((a for a in graph.artifacts.values() if a.uri in uris), None)


def _make_unmade_error(
    version: str, record: ServedRecord | None, workspace: Workspace
) -> ConfigError:
    where = f" The pointer says: its model was {record.model}." if record else ""
    return ConfigError(
        f"version {version} lies in {workspace.serving}, but {workspace.metadata} does not know "
        f"what made it.{where}",
        "another output directory pushed it, or the metadata file was moved away after the push; "
        "name the directory of that time with --output",
    )


def _find_at(path: Path, workspace: Workspace, graph: Graph) -> Artifact | None:
    """Returns the artifact whose directory is the path, or holds it."""
    asked = {path.absolute(), path.resolve()}
    asked |= {parent for place in [*asked] for parent in place.parents}
    for artifact in graph.artifacts.values():
        places = (Path(artifact.uri), workspace.find_artifact(artifact.uri))
        if any(place in asked or place.resolve() in asked for place in places if place):
            return artifact
    return None


def _make_unknown_error(
    thing: str, workspace: Workspace, graph: Graph, runs: Sequence[str]
) -> ConfigError:
    versions = [*list_versions(graph)]
    known = {"versions": versions, "runs": sorted(runs)}
    named = [f"{kind}: {_list_last(names)}" for kind, names in known.items() if names]
    if graph.artifacts:
        named.append(f"artifacts: {min(graph.artifacts)} to {max(graph.artifacts)}")
    near = difflib.get_close_matches(thing, [*versions, *runs, SERVED], n=1)
    hint = [f"did you mean {near[0]}?"] if near else []
    hint.append(f"{workspace.root} has {'; '.join(named) or 'no runs'}")
    return ConfigError(
        f"{thing}: is no version, artifact, run or path of this workspace", "; ".join(hint)
    )


def _list_last(names: Sequence[str]) -> str:
    shown = ", ".join(reversed(names[-_SHOWN:]))
    return f"{shown} and {len(names) - _SHOWN} older" if len(names) > _SHOWN else shown
