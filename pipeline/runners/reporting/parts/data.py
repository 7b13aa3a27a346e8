"""The part of the page about the data."""

from __future__ import annotations

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from pipeline.core.contracts import NO_REFERENCE
from pipeline.report.content import DataPart
from pipeline.runners.reporting.reading.run_files import RunFiles


def describe_data(
    run: RunFiles, figures: DataFigures | None, model: ModelFigures | None
) -> DataPart:
    """Returns the findings of the gate and the figures, each if the run came that far.

    Args:
      model: the figures of the model; None if the run stopped before them.
    """
    checked = run.summary.findings
    was_compared = checked is not None and checked.checked_against != NO_REFERENCE
    return DataPart(
        checked_against=checked.checked_against if checked else None,
        findings=checked.findings if checked else (),
        figures=figures,
        note=_explain_other_version(figures, model) if was_compared and figures and model else "",
    )


def _explain_other_version(data: DataFigures, model: ModelFigures) -> str:
    """Returns why the gate and the Evaluator compared with different versions.

    Where the data of the served model comes again, the gate repeats its judgement of then: it
    would learn nothing from a comparison of the data with itself.
    """
    if model.baseline is None or data.compared_with == model.baseline:
        return ""
    then = f"version {data.compared_with}" if data.compared_with else "no earlier data"
    return (
        f"This data is the data of the served model, version {model.baseline}. So the gate repeats "
        f"its judgement from then, when it compared with {then}. The metrics are compared with "
        f"version {model.baseline}."
    )
