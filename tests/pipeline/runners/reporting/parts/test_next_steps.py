"""Each ending has a next step, and its command is complete."""

import pytest
from runs_for_pages import OUTPUT, make_run

from pipeline.core.events import (
    DataChecked,
    Event,
    Failure,
    Finding,
    RunEnded,
)
from pipeline.core.statuses import Status
from pipeline.report.content import NextStep
from pipeline.runners.reporting.parts.local_place import LocalPlace
from pipeline.runners.reporting.parts.next_steps import advise

ACCEPT = "run once with `--set schema.reference=none`, or `--set validation.severity.drift=warn`"


def steps(*events: Event, status: str, **fields: object) -> list[NextStep]:
    run = make_run(*events, status=status, **fields)  # type: ignore[arg-type]
    return list(advise(run, LocalPlace(run, OUTPUT, None)))


def test_after_a_stop_the_data_is_corrected_or_accepted() -> None:
    findings = tuple(
        Finding(column, "drift", severity, (), "differs", "", "", (), ACCEPT, "")
        for column, severity in (("color", "stop"), ("price", "stop"), ("size", "warn"))
    )
    look, accept = steps(DataChecked("itself", findings), status="stopped by the data gate")
    assert look.command
    assert look.command.endswith("run --config my.yaml --set training.epochs=3")
    assert "color, price is correct" in accept.text
    assert accept.command == f"{look.command} --set schema.reference=none"


def test_a_finding_without_an_option_has_no_command() -> None:
    finding = Finding("a", "other", "stop", (), "", "", "", (), "change it in schema.pbtxt", "")
    _, accept = steps(DataChecked("itself", (finding,)), status="stopped by the data gate")
    assert accept.command is None


def test_a_failure_leads_to_its_hint_its_log_and_the_next_run() -> None:
    failure = RunEnded(1, error=Failure("loss is NaN", "lower training.learning_rate"))
    hint, log, again = steps(failure, status="failed")
    assert hint.text == "lower training.learning_rate"
    assert "run.log" in (log.command or "")
    assert "run --config" in (again.command or "")


@pytest.mark.parametrize("status", Status)
def test_every_ending_has_a_next_step_with_a_command(status: Status) -> None:
    assert any(step.command for step in steps(status=status))
