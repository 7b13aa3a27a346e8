"""How a run ended, judged by the records of its tasks: no task of Kubeflow sees the whole run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.contracts import Property
from pipeline.core.events import DagFailure
from pipeline.runners.kubeflow.run_overrides import advise_run_parameters
from pipeline.runners.kubeflow.run_records.task_record import TaskRecord
from pipeline.terminal.summary import Component

Graph = Mapping[str, Sequence[str]]
"""The upstream nodes of each node, in the order in which the nodes run."""

_DONE = ("complete", "cached")
_NO_RECORD = "Kubeflow took this task from its cache. No record is left of the run that made it."
_KILLED = (
    "the task was killed and could not say why",
    "Kubeflow's page of the run names the cause. After OOMKilled, raise "
    "kubeflow.components.{}.resources.memory; a lost node ends a task like this, too",
)
_NEVER_BEGAN = (
    "the task did not begin",
    "see the events of its pod on Kubeflow's page of the run: the image may be missing, or no node "
    "has the resources that the pod asks for",
)


@dataclass(frozen=True)
class Ending:
    """The states of the nodes, and the failure that decided."""

    components: tuple[Component, ...]
    """The nodes that the run reached, in the order in which they run."""
    exit_code: int
    """The exit code that a local run would have."""
    failure: DagFailure | None = None


def judge(graph: Graph, records: Mapping[str, TaskRecord]) -> Ending:
    """Returns the ending of a run in which no task is at work any more.

    Args:
      records: by node, also those of cached tasks that were found.
    """
    reached = _find_reached(graph, records)
    components = [_to_component(node, records.get(node)) for node in graph if node in reached]
    failed = [record for record in records.values() if record.state not in _DONE]
    if failed:
        first = min(failed, key=lambda record: record.started + (record.seconds or 0))
        return Ending(tuple(components), first.exit_code or 1, _describe(first))
    absent = next((node for node in graph if node not in reached), None)
    if absent is None:
        return Ending(tuple(components), 0)
    components.append(Component(absent, "failed"))
    message, hint = _NEVER_BEGAN
    return Ending(tuple(components), 1, DagFailure(message, hint, component=absent))


def _find_reached(graph: Graph, records: Mapping[str, TaskRecord]) -> set[str]:
    """Returns the nodes with a record, and all that are upstream of them."""
    reached = set(records)
    for node in reversed(list(graph)):
        if node in reached:
            reached.update(graph[node])
    return reached


def _to_component(node: str, record: TaskRecord | None) -> Component:
    if record is None:
        return Component(node, "cached", cached=True, note=_NO_RECORD)
    properties = [output.properties for output in record.outputs.values()]
    rows = next((json.loads(str(p[Property.ROWS])) for p in properties if Property.ROWS in p), None)
    note = next((str(p[Property.NOTE]) for p in properties if p.get(Property.NOTE)), None)
    is_killed = record.state == "running"
    return Component(
        name=node,
        state="failed" if is_killed else record.state,
        cached=record.state == "cached",
        seconds=record.seconds,
        rows=rows,
        note=note,
    )


def _describe(record: TaskRecord) -> DagFailure | None:
    """Returns why a task failed; None after an interruption."""
    if record.state == "interrupted":
        return None
    if record.error is None:
        message, hint = _KILLED
        return DagFailure(message, hint.format(record.node), component=record.node)
    hint = advise_run_parameters(record.error.hint or "")
    return DagFailure(record.error.message, hint or None, component=record.node)


def list_upstream(graph: Graph, first: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each node and what it waits for, without the first task where there is another."""
    for node, upstream in graph.items():
        yield node, [name for name in upstream if name != first] or [*upstream]
