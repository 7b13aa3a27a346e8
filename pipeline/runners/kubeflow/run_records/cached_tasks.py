"""Finds the records of tasks that Kubeflow took from its cache, in which case it ran nothing.

Kubeflow takes a task from the cache if its execution properties and its input artifacts are those
of an earlier execution. The first task of a run knows the properties of all tasks, and the records
of the tasks before a task tell which artifacts it would have read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory
from pipeline.runners.kubeflow.run_records.task_record import TaskRecord

_DONE = ("complete", "cached")


@dataclass(frozen=True)
class _Candidate:
    """A complete or cached task of an earlier run."""

    record: TaskRecord
    directory: RunDirectory


def adopt_cached_tasks(
    directory: RunDirectory,
    graph: Mapping[str, Sequence[str]],
    properties: Mapping[str, str],
    earlier: Sequence[RunDirectory],
) -> dict[str, TaskRecord]:
    """Returns the records of the run, with those of its cached tasks, which it copies.

    Args:
      graph: the upstream nodes of each node, in the order in which the nodes run.
      properties: the digest of the execution properties of each node.
      earlier: the directories of other runs, the newest first.
    """
    records = directory.read()
    candidates = list(_list_candidates(earlier))
    for node, upstream in graph.items():
        done = [records[name] for name in upstream if name in records]
        if node in records or len(done) < len(upstream):
            continue
        if all(record.state in _DONE for record in done):
            found = _find(node, done, properties.get(node), candidates)
            if found:
                records[node] = directory.adopt(found.record, found.directory)
    return records


def _list_candidates(earlier: Sequence[RunDirectory]) -> Iterator[_Candidate]:
    for directory in earlier:
        for record in directory.read().values():
            if record.state in _DONE and record.properties:
                yield _Candidate(record, directory)


def _find(
    node: str, upstream: list[TaskRecord], properties: str | None, candidates: list[_Candidate]
) -> _Candidate | None:
    """Returns the newest execution of the node with these properties on these artifacts."""
    available = {output.uri for record in upstream for output in record.outputs.values()}
    return next(
        (
            candidate
            for candidate in candidates
            if candidate.record.node == node
            and candidate.record.properties == properties
            and available.issuperset(_list_uris(candidate.record))
        ),
        None,
    )


def _list_uris(record: TaskRecord) -> Iterator[str]:
    for uris in record.inputs.values():
        yield from uris
