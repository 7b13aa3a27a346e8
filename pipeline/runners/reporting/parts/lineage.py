"""The part of the page about what the run was made from, and how to repeat it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.core.contracts import Node, Property
from pipeline.report.content import ArtifactRow, LineagePart, ServedVersion
from pipeline.runners.reporting.parts.commands import repeat_run
from pipeline.runners.reporting.reading.metadata_view import NodeView
from pipeline.runners.reporting.reading.run_files import RunFiles

_NOT_RECORDED = "# An earlier version of the pipeline made this run, and did not record this.\n"


def describe_lineage(
    run: RunFiles,
    nodes: Mapping[str, NodeView],
    run_names: Mapping[str, str],
    root: Path,
    served: ServedVersion | None = None,
) -> LineagePart:
    """Returns what the run was made from.

    Args:
      run_names: the names of runs by their ids in ML Metadata.
      root: the output directory.
    """
    record = run.record
    fields = run.config.model_dump(by_alias=True) if run.config else {}
    return LineagePart(
        command=repeat_run(run, root),
        data_files=record.data_files if record else (),
        fingerprint=_find_fingerprint(nodes),
        configuration=run.configuration or _NOT_RECORDED,
        code_digests=dict(run.started.code) if run.started else {},
        versions=record.versions if record else {},
        seeds=dict(_list_seeds(fields)),
        hardware=record.hardware if record else {},
        artifacts=tuple(_list_artifacts(nodes, run_names)),
        served=served,
    )


def _find_fingerprint(nodes: Mapping[str, NodeView]) -> str | None:
    example_gen = nodes.get(Node.EXAMPLE_GEN)
    outputs = example_gen.outputs.values() if example_gen else ()
    found = (artifact.properties.get(Property.INPUT_FINGERPRINT) for artifact in outputs)
    return next(filter(None, found), None)


def _list_seeds(section: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, int]]:
    for key, value in section.items():
        if isinstance(value, Mapping):
            yield from _list_seeds(value, f"{place}{key}.")
        elif key == "seed" and isinstance(value, int):
            yield f"{place}{key}", value


def _list_artifacts(
    nodes: Mapping[str, NodeView], run_names: Mapping[str, str]
) -> Iterator[ArtifactRow]:
    for node, view in nodes.items():
        for artifact in view.outputs.values():
            yield ArtifactRow(
                id=artifact.id,
                type=artifact.type.rpartition(".")[2],
                uri=artifact.uri,
                producer=node,
                made_by_run=run_names.get(artifact.run_id or ""),
                parents=artifact.parents,
            )
