"""Makes the Report of a run from its workspace, without TensorFlow, TFX and Beam."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.core.contracts import LARGE_ARTIFACTS, Node
from pipeline.report.content import FORMAT, Report
from pipeline.runners.reporting.parts.answers import answer, find_cost
from pipeline.runners.reporting.parts.components import list_components
from pipeline.runners.reporting.parts.data import describe_data
from pipeline.runners.reporting.parts.lineage import describe_lineage
from pipeline.runners.reporting.parts.local_place import LocalPlace
from pipeline.runners.reporting.parts.quality import describe_quality
from pipeline.runners.reporting.parts.served_model import describe_served_model
from pipeline.runners.reporting.parts.training import describe_training
from pipeline.runners.reporting.parts.verdict import describe_verdict
from pipeline.runners.reporting.reading.figures import read_all_figures
from pipeline.runners.reporting.reading.metadata_view import NodeView, read_nodes
from pipeline.runners.reporting.reading.run_files import RunFiles, read_run_files
from pipeline.runners.reporting.reading.serving import read_served
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.run_ids import find_run_names, match_runs
from pipeline.runners.workspace.snapshot import open_snapshot

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
    served = read_served(workspace)
    with open_snapshot(workspace.metadata) as store:
        nodes = _read_nodes_of(run, store, workspace) if store else {}
        figures = read_all_figures(nodes)
        served_model = None
        if store and figures.model is None:
            served_model = describe_served_model(
                served,
                lambda other: _read_nodes_of(
                    read_run_files(workspace.logs / other), store, workspace
                ),
            )
    ids = {a.run_id for view in nodes.values() for a in view.outputs.values() if a.run_id}
    names = find_run_names(workspace, ids)
    components = list_components(run, nodes, figures.notes)
    quality = describe_quality(run, nodes, figures.model)
    training = describe_training(
        run,
        nodes,
        _find_trainer_run(nodes, names, name),
        lambda other: read_run_files(workspace.logs / other),
    )
    return Report(
        format=FORMAT,
        pipeline=run.summary.name,
        run=name,
        started=run.began,
        seconds=run.summary.seconds,
        verdict=describe_verdict(
            run, LocalPlace(run, workspace.root, served, figures.model), components, quality
        ),
        components=components,
        data=describe_data(run, figures.data, figures.model),
        training=training,
        quality=quality,
        lineage=describe_lineage(run, nodes, names, workspace.root, served),
        answers=tuple(answer(run, workspace.root, served, find_cost(workspace, name, training))),
        served=served_model,
        written=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def _read_nodes_of(
    run: RunFiles, store: MetadataStore, workspace: Workspace
) -> dict[str, NodeView]:
    """Returns the nodes that the run reached; none if it failed before the first one."""
    run_id = run.summary.run_id
    if run_id is None:
        # An earlier version ran, which noted no id.
        ids = {str(context.name) for context in store.get_contexts_by_type("pipeline_run")}
        run_id = match_runs(workspace, ids).get(run.directory.name)
    nodes = read_nodes(store, run_id) if run_id else {}
    outputs = (artifact for view in nodes.values() for artifact in view.outputs.values())
    workspace.fetch([a.uri for a in outputs if a.type not in LARGE_ARTIFACTS])
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
