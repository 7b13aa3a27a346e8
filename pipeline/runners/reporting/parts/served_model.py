"""The served model, for the page of a run that stopped before it had figures of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from components.served_model.served_record import read_pointer_file
from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.report.content import ServedModel
from pipeline.runners.reporting.reading.figures import read_all_figures
from pipeline.runners.reporting.reading.metadata_view import NodeView
from pipeline.runners.workspace.places import Workspace

ReadNodes = Callable[[str], Mapping[str, NodeView]]
"""Returns the nodes of the run with this name."""


def describe_served_model(workspace: Workspace, read_nodes: ReadNodes) -> ServedModel | None:
    """Returns the served model with the figures of its own run, or None without them."""
    try:
        record = read_pointer_file(str(workspace.serving))
    except ConfigError:
        return None
    run = _find_maker(workspace, record.version) if record else None
    figures = read_all_figures(read_nodes(run)).model if run else None
    return ServedModel(record.version, run, figures) if record and run and figures else None


def _find_maker(workspace: Workspace, version: str) -> str | None:
    """Returns the first run that served the version: later ones took it from the cache."""
    summaries = sorted(workspace.logs.glob(f"*/{RunFile.SUMMARY}"))
    return next((s.parent.name for s in summaries if _read_pushed(s) == version), None)


def _read_pushed(summary: Path) -> str | None:
    try:
        content = json.loads(summary.read_bytes())
    except (OSError, ValueError):
        return None
    pushed = content.get("pushed") if isinstance(content, dict) else None
    return Path(pushed).name if isinstance(pushed, str) else None
