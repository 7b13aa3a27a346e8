"""The served model, for the page of a run that stopped before it had figures of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipeline.report.content import ServedModel, ServedVersion
from pipeline.runners.reporting.reading.figures import read_all_figures
from pipeline.runners.reporting.reading.metadata_view import NodeView

ReadNodes = Callable[[str], Mapping[str, NodeView]]
"""Returns the nodes of the run with this name."""


def describe_served_model(
    served: ServedVersion | None, read_nodes: ReadNodes
) -> ServedModel | None:
    """Returns the served model with the figures of its own run, or None without them."""
    if served is None or served.run is None:
        return None
    figures = read_all_figures(read_nodes(served.run)).model
    return ServedModel(served.version, served.run, figures) if figures else None
