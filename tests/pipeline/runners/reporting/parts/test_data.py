"""The part about the data holds what the gate reported."""

from runs_for_pages import make_run

from pipeline.core.events import DataChecked, Finding
from pipeline.runners.reporting.parts.data import describe_data

FINDING = Finding("color", "drift", "warn", ("train",), "differs", "0.1", "0.4", (), "", "")


def test_the_findings_are_those_of_the_gate() -> None:
    part = describe_data(make_run(DataChecked("the served model 3", (FINDING,))), None)
    assert (part.checked_against, part.findings) == ("the served model 3", (FINDING,))


def test_without_a_report_of_the_gate_nothing_was_checked() -> None:
    assert describe_data(make_run(), None).checked_against is None
