"""The part of the page about the data."""

from __future__ import annotations

from components.data_figures.figures import DataFigures
from pipeline.report.content import DataPart
from pipeline.runners.reporting.reading.run_files import RunFiles


def describe_data(run: RunFiles, figures: DataFigures | None) -> DataPart:
    """Returns the findings of the gate and the figures, each if the run came that far."""
    checked = run.summary.findings
    return DataPart(
        checked_against=checked.checked_against if checked else None,
        findings=checked.findings if checked else (),
        figures=figures,
    )
