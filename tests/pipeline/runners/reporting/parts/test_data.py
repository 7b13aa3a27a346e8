"""The part about the data holds what the gate reported."""

from runs_for_pages import make_run

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from pipeline.core.contracts import NO_REFERENCE
from pipeline.core.events import DataChecked, Finding
from pipeline.runners.reporting.parts.data import describe_data

FINDING = Finding("color", "drift", "warn", ("train",), "differs", "0.1", "0.4", (), "", "")


def test_the_findings_are_those_of_the_gate() -> None:
    part = describe_data(make_run(DataChecked("the served model 3", (FINDING,))), None, None)
    assert (part.checked_against, part.findings) == ("the served model 3", (FINDING,))


def test_without_a_report_of_the_gate_nothing_was_checked() -> None:
    assert describe_data(make_run(), None, None).checked_against is None


def data_figures(compared_with: str | None) -> DataFigures:
    return DataFigures({}, "y", compared_with, (), None, ())


def model_figures(baseline: str | None) -> ModelFigures:
    return ModelFigures(
        task="binary", classes=(), split="test", examples=0, bootstrap_examples=0,
        baseline=baseline, metrics=(), slices=(), gaps=(), binary=None, multiclass=None,
        regression=None, wrong_rows=(), loss="", importance=(), importance_examples=0,
        dependence=(), notes=(),
    )  # fmt: skip


def note(
    compared_with: str | None, baseline: str | None, checked: str = "the served model 3"
) -> str:
    run = make_run(DataChecked(checked, ()))
    return describe_data(run, data_figures(compared_with), model_figures(baseline)).note


def test_an_older_version_of_the_gate_is_explained() -> None:
    assert note("3", "4") == (
        "This data is the data of the served model, version 4. So the gate repeats its judgement "
        "from then, when it compared with version 3. The metrics are compared with version 4."
    )
    assert "it compared with no earlier data" in note(None, "4", "itself (first run)")


def test_equal_versions_and_first_runs_need_no_explanation() -> None:
    assert note("3", "3") == note("3", None) == note(None, None) == ""
    assert note(None, "4", NO_REFERENCE) == ""
