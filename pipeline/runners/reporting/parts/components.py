"""The rows of the DAG: from the events of the run, and from its metadata for older runs."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.core.statuses import Status
from pipeline.report.content import ComponentRow
from pipeline.runners.reporting.reading.metadata_view import NodeView
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.terminal.summary import Component


def list_components(
    run: RunFiles, nodes: Mapping[str, NodeView], notes: Mapping[str, str]
) -> tuple[ComponentRow, ...]:
    """Returns a row for each component of the pipeline, in the order in which they run.

    Args:
      notes: a sentence for a component, in place of the one that the component wrote.
    """
    reached = {component.name: component for component in run.summary.components}
    names = run.started.components if run.started else tuple(reached)
    before = dict(zip(names[1:], names, strict=False))
    return tuple(
        _make_row(
            reached.get(name) or Component(name, "waiting"),
            is_at_work=run.summary.status == Status.RUNNING,
            upstream=_find_upstream(name, run, nodes, before.get(name)),
            note=notes.get(name),
        )
        for name in names
    )


def _make_row(
    component: Component, is_at_work: bool, upstream: tuple[str, ...], note: str | None
) -> ComponentRow:
    state = component.state
    if state == "running" and not is_at_work:
        # A process that is killed cannot send the end of its component.
        state = "interrupted"
    return ComponentRow(
        name=component.name,
        state=state,
        seconds=component.seconds,
        rows=component.rows,
        note=note or component.note,
        upstream=upstream,
        jobs=component.jobs,
    )


def _find_upstream(
    name: str, run: RunFiles, nodes: Mapping[str, NodeView], before: str | None
) -> tuple[str, ...]:
    """Returns the nodes that this one waits for.

    The metadata of older runs lacks the edges without data, and the nodes that a run did not reach:
    there the answer is the node before, for which a local run does wait.
    """
    if run.started and name in run.started.upstream:
        return tuple(run.started.upstream[name])
    found = nodes[name].upstream if name in nodes else ()
    return found or ((before,) if before else ())
