"""Each ending has a next step, and its command is complete."""

import json
from pathlib import Path

import pytest
from runs_for_pages import OUTPUT, make_run, penguins

from pipeline.core.events import (
    DataChecked,
    Event,
    Failure,
    Finding,
    RunEnded,
    WithdrawnModel,
)
from pipeline.report.content import NextStep
from pipeline.runners.reporting.parts.next_steps import advise

ACCEPT = "run once with `--set schema.reference=none`, or `--set validation.severity.drift=warn`"


def steps(*events: Event, status: str, **run: object) -> list[NextStep]:
    return list(advise(make_run(*events, status=status, **run), OUTPUT))  # type: ignore[arg-type]


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


def test_a_missed_threshold_leads_to_slices_comparison_and_bounds() -> None:
    ended = RunEnded(4, blessed=False, baseline_metrics={"auc": 0.9})
    advice = steps(ended, status="not blessed", config=penguins())
    assert [step.command is not None for step in advice] == [False, True, False, True]
    assert "--compare served" in (advice[1].command or "")
    assert "evaluation.thresholds" in advice[3].text


def test_a_push_leads_to_the_model_and_to_a_comparison(tmp_path: Path) -> None:
    ended = RunEnded(0, blessed=True, pushed=str(tmp_path / "17"))
    [inspect] = steps(ended, status="pushed")
    assert "saved_model_cli show" in (inspect.command or "")
    texts = ("model", "evaluation", "statistics", "schema", "label", "data_key", "run_key")
    record = dict.fromkeys(texts, "") | {"version": "17"}
    served = {**record, "baseline": {**record, "version": "16"}}
    (tmp_path / "served.json").write_text(json.dumps(served))
    _, compare, back = steps(ended, status="pushed")
    assert "report --compare 16 17" in (compare.command or "")
    assert "rollback 16 --output" in (back.command or "")
    (tmp_path / "served.json").write_text("{")
    assert len(steps(ended, status="pushed")) == 1


def test_a_waiting_or_withdrawn_model_leads_to_promote(tmp_path: Path) -> None:
    waits = RunEnded(6, blessed=True, waiting=str(tmp_path / ".waiting/17"))
    [serve] = steps(waits, status="waiting")
    assert "promote 17 --output" in (serve.command or "")
    withdrawn = RunEnded(7, blessed=True, withdrawn=WithdrawnModel("16", "ana withdrew it"))
    look, again, serve = steps(withdrawn, status="withdrawn")
    assert "versions --output" in (look.command or "")
    assert "run --config" in (again.command or "")
    assert "promote 16 --output" in (serve.command or "")


def test_a_failure_leads_to_its_hint_its_log_and_the_next_run() -> None:
    failure = RunEnded(1, error=Failure("loss is NaN", "lower training.learning_rate"))
    hint, log, again = steps(failure, status="failed")
    assert hint.text == "lower training.learning_rate"
    assert "run.log" in (log.command or "")
    assert "run --config" in (again.command or "")


@pytest.mark.parametrize("status", ["interrupted", "died", "tuned", "running"])
def test_every_other_ending_has_a_command(status: str) -> None:
    assert steps(status=status)[0].command
