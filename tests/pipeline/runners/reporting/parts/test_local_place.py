"""After a run on this machine, the next steps are complete commands of this machine."""

from pathlib import Path

import pytest
from runs_for_pages import OUTPUT, make_run, penguins

from pipeline.core.events import Event, RunEnded, WithdrawnModel
from pipeline.report.content import NextStep, ServedVersion
from pipeline.runners.reporting.parts.local_place import LocalPlace
from pipeline.runners.reporting.parts.next_steps import advise

PUSHED = RunEnded(
    0, blessed=True, pushed=str(OUTPUT / "serving/17"), metrics={"": {"accuracy": 0.9876}}
)


def steps(
    *events: Event, status: str, served: ServedVersion | None = None, **fields: object
) -> list[NextStep]:
    run = make_run(*events, status=status, **fields)  # type: ignore[arg-type]
    return list(advise(run, LocalPlace(run, OUTPUT, served)))


def served(version: str, earlier: str | None) -> ServedVersion:
    return ServedVersion(version, "", None, False, baseline=earlier, earlier=earlier)


def test_the_first_push_leads_to_the_server_and_to_stricter_thresholds() -> None:
    serve, inspect, raise_them = steps(
        PUSHED, status="pushed", served=served("17", None), config=penguins()
    )
    assert (serve.command or "").endswith("-m pipeline serve --output out")
    assert "saved_model_cli show" in (inspect.command or "")
    assert "`{metric: accuracy, at_least: 0.98}`" in raise_them.text


@pytest.mark.parametrize("value", [0.9, 0.905, float("nan")])
def test_a_bound_that_the_model_just_meets_is_not_raised(value: float) -> None:
    ended = RunEnded(0, blessed=True, pushed="/srv/17", metrics={"": {"accuracy": value}})
    config = penguins('evaluation.thresholds=[{"metric": "accuracy", "at_least": 0.9}]')
    assert len(steps(ended, status="pushed", served=served("17", None), config=config)) == 2


def test_a_later_push_leads_to_a_comparison_and_back() -> None:
    *_, compare, back = steps(PUSHED, status="pushed", served=served("17", "16"))
    assert "report --compare 16 17" in (compare.command or "")
    assert (back.command or "").endswith("-m pipeline rollback 16 --output out")


def test_a_push_that_is_no_longer_served_leads_to_the_model_alone() -> None:
    [inspect] = steps(PUSHED, status="pushed", served=served("18", "17"), config=penguins())
    assert "saved_model_cli show" in (inspect.command or "")


def test_a_missed_threshold_leads_to_slices_comparison_and_bounds() -> None:
    ended = RunEnded(4, blessed=False, baseline_metrics={"auc": 0.9})
    advice = steps(ended, status="not blessed", config=penguins())
    assert [step.command is not None for step in advice] == [False, True, False, True]
    assert "--compare served" in (advice[1].command or "")
    assert "change the missed bounds in evaluation.thresholds" in advice[3].text
    ended = RunEnded(4, metrics={"": {"accuracy": 0.85}}, missed=("accuracy is too low",))
    *_, accept = steps(ended, status="not blessed", config=penguins())
    assert '{"metric": "accuracy", "at_least": 0.85}' in (accept.command or "")
    assert "`promote` serves it" in accept.text


def test_a_waiting_or_withdrawn_model_leads_to_promote(tmp_path: Path) -> None:
    waits = RunEnded(6, blessed=True, waiting=str(tmp_path / ".waiting/17"))
    [serve] = steps(waits, status="waiting")
    assert "promote 17 --output" in (serve.command or "")
    withdrawn = RunEnded(7, blessed=True, withdrawn=WithdrawnModel("16", "ana withdrew it"))
    look, again, serve = steps(withdrawn, status="withdrawn")
    assert "versions --output" in (look.command or "")
    assert "run --config" in (again.command or "")
    assert "promote 16 --output" in (serve.command or "")
