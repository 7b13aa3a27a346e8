"""Makes the Report of a run from its workspace, without TensorFlow, TFX and Beam."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.core.contracts import Node
from pipeline.report.content import Report
from pipeline.runners.reporting.parts.components import list_components
from pipeline.runners.reporting.parts.data import describe_data
from pipeline.runners.reporting.parts.lineage import describe_lineage
from pipeline.runners.reporting.parts.quality import describe_quality
from pipeline.runners.reporting.parts.training import describe_training
from pipeline.runners.reporting.parts.verdict import describe_verdict
from pipeline.runners.reporting.reading.figures import read_all_figures
from pipeline.runners.reporting.reading.metadata_view import NodeView, read_nodes
from pipeline.runners.reporting.reading.run_files import RunFiles, read_run_files
from pipeline.runners.reporting.reading.run_names import find_run_name
from pipeline.runners.workspace.places import Workspace, parse_run_name
from pipeline.runners.workspace.snapshot import open_snapshot

_FORMAT = 1
"""The version of the layout of a Report; pipeline/report/files.py reads this one."""

if TYPE_CHECKING:
    from ml_metadata import MetadataStore


def gather_report(workspace: Workspace, name: str, *, is_at_work: bool = False) -> Report:
    """Returns the report of the run with this name.

    Args:
      is_at_work: whether the run still goes on.

    Raises:
      ConfigError: the metadata file cannot be used.
    """
    run = read_run_files(workspace.logs / name, is_at_work=is_at_work)
    with open_snapshot(workspace.metadata) as store:
        nodes = _read_nodes_of(run, store, workspace) if store else {}
    ids = {a.run_id for view in nodes.values() for a in view.outputs.values() if a.run_id}
    names = {i: found for i in ids if (found := find_run_name(workspace, i))}
    figures = read_all_figures(nodes)
    components = list_components(run, nodes, figures.notes)
    quality = describe_quality(run, nodes, figures.model)
    return Report(
        format=_FORMAT,
        pipeline=run.summary.name,
        run=name,
        started=run.summary.started or _started_by_name(name),
        seconds=run.summary.seconds,
        verdict=describe_verdict(run, workspace.root, components, quality),
        components=components,
        data=describe_data(run, figures.data, figures.model),
        training=describe_training(
            run,
            nodes,
            _find_trainer_run(nodes, names, name),
            lambda other: read_run_files(workspace.logs / other),
        ),
        quality=quality,
        lineage=describe_lineage(run, nodes, names, workspace.root),
    )


def _read_nodes_of(
    run: RunFiles, store: MetadataStore, workspace: Workspace
) -> dict[str, NodeView]:
    """Returns the nodes that the run reached; none if it failed before the first one."""
    run_id = run.summary.run_id
    if run_id is None:
        # An earlier version ran, which noted no id.
        ids = (str(context.name) for context in store.get_contexts_by_type("pipeline_run"))
        run_id = next((i for i in ids if find_run_name(workspace, i) == run.directory.name), None)
    nodes = read_nodes(store, run_id) if run_id else {}
    order = {component.name: place for place, component in enumerate(run.summary.components)}
    return dict(sorted(nodes.items(), key=lambda item: order.get(item[0], len(order))))


def _find_trainer_run(
    nodes: Mapping[str, NodeView], names: Mapping[str, str], this: str
) -> str | None:
    """Returns the name of the other run that trained the model, or None if this one did."""
    trainer = nodes.get(Node.TRAINER)
    if trainer is None or trainer.state != "cached":
        return None
    ids = (artifact.run_id for artifact in trainer.outputs.values())
    found = next((names[i] for i in ids if i and i in names), None)
    return found if found != this else None


def _started_by_name(name: str) -> str:
    """Returns when a run of an earlier version started, as its directory's name tells."""
    time = parse_run_name(name)
    return time.astimezone().isoformat(timespec="milliseconds") if time else name
