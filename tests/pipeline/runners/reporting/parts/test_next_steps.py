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

ACCEPT = "`--set 'validation.columns.\"{0} ($)\".drift=0.3'`"


AGAINST = "the served model 7"


def steps(*events: Event, status: str, **fields: object) -> list[NextStep]:
    run = make_run(*events, status=status, **fields)  # type: ignore[arg-type]
    return list(advise(run, LocalPlace(run, OUTPUT, None)))


def test_after_a_stop_the_data_is_corrected_or_accepted() -> None:
    findings = tuple(
        Finding(
            column, "drift", severity, (), "differs", "", "", (), ACCEPT.format(column), AGAINST
        )
        for column, severity in (("color", "stop"), ("price", "stop"), ("size", "warn"))
    )
    stopped = DataChecked(AGAINST, findings)
    look, *each, both, everything = steps(stopped, status="stopped by the data gate")
    assert look.command
    assert look.command.endswith("run --config my.yaml --set training.epochs=3")
    options = [f"--set 'validation.columns.\"{c} ($)\".drift=0.3'" for c in ("color", "price")]
    assert [step.command for step in each] == [f"{look.command} {o}" for o in options]
    assert "new data of color is correct" in each[0].text
    assert both.command == f"{look.command} {' '.join(options)}"
    assert both.text == "To accept all of these findings, and nothing else"
    assert everything.command == f"{look.command} --set schema.reference=none"
    assert "it finds no drift" in everything.text


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
