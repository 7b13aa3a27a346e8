"""The part of the page about the data."""

from __future__ import annotations

from collections.abc import Mapping

from components.data_figures.figures import DataFigures
from pipeline.core.contracts import ArtifactFile, Node
from pipeline.report.content import DataPart
from pipeline.runners.reporting.figures import read_figures
from pipeline.runners.reporting.metadata_view import NodeView
from pipeline.runners.reporting.run_files import RunFiles


def describe_data(run: RunFiles, nodes: Mapping[str, NodeView]) -> DataPart:
    """Returns the findings of the gate and the figures, each if the run came that far."""
    checked = run.summary.findings
    return DataPart(
        checked_against=checked.checked_against if checked else None,
        findings=checked.findings if checked else (),
        figures=read_figures(nodes, Node.DATA_FIGURES, ArtifactFile.DATA_FIGURES, DataFigures),
    )
