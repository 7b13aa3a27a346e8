"""After a run on this machine, the next steps are complete commands of this machine."""

from dataclasses import replace
from pathlib import Path

import example_figures
import pytest
from runs_for_pages import OUTPUT, make_run, penguins

from components.model_figures.figures import MetricFigures, ModelFigures
from components.predictions.estimates import Estimate
from pipeline.core.events import Event, RunEnded, WithdrawnModel
from pipeline.report.content import NextStep, ServedVersion
from pipeline.runners.reporting.parts.local_place import LocalPlace
from pipeline.runners.reporting.parts.next_steps import advise

PUSHED = RunEnded(
    0, blessed=True, pushed=str(OUTPUT / "serving/17"), metrics={"": {"accuracy": 0.9876}}
)


def steps(
    *events: Event,
    status: str,
    served: ServedVersion | None = None,
    figures: ModelFigures | None = None,
    **fields: object,
) -> list[NextStep]:
    run = make_run(*events, status=status, **fields)  # type: ignore[arg-type]
    return list(advise(run, LocalPlace(run, OUTPUT, served, figures)))


def measured(metric: str, value: float, low: float | None, high: float | None) -> ModelFigures:
    found = MetricFigures(metric, Estimate(value, low, high), None, None, None)
    return replace(example_figures.model_figures("multiclass", served=False), metrics=(found,))


def served(version: str, earlier: str | None) -> ServedVersion:
    return ServedVersion(version, "", None, False, baseline=earlier, earlier=earlier)


def test_the_first_push_leads_to_the_server_and_to_stricter_thresholds() -> None:
    serve, inspect, tighten = steps(
        PUSHED,
        status="pushed",
        served=served("17", None),
        figures=measured("accuracy", 0.9876, 0.9712, 0.9961),
        config=penguins(),
    )
    assert (serve.command or "").endswith("-m pipeline serve --output out")
    assert "saved_model_cli show" in (inspect.command or "")
    # The value itself would refuse about every second model that is as good.
    assert "`{metric: accuracy, at_least: 0.97}`. A bound at the model's own" in tighten.text


def test_an_upper_bound_becomes_the_upper_end_of_the_interval() -> None:
    config = penguins('evaluation.thresholds=[{"metric": "log_loss", "at_most": 0.9}]')
    *_, tighten = steps(
        PUSHED,
        status="pushed",
        served=served("17", None),
        figures=measured("log_loss", 0.331, 0.302, 0.3612),
        config=config,
    )
    assert "`{metric: log_loss, at_most: 0.37}`" in tighten.text


@pytest.mark.parametrize("low", [0.9, 0.905, 0, float("nan"), None])
def test_a_bound_that_the_interval_nearly_holds_is_not_raised(low: float | None) -> None:
    figures = measured("accuracy", 0.95, low, 0.99)
    config = penguins('evaluation.thresholds=[{"metric": "accuracy", "at_least": 0.9}]')
    place = {"served": served("17", None), "config": config}
    assert len(steps(PUSHED, status="pushed", figures=figures, **place)) == 2  # type: ignore[arg-type]
    assert len(steps(PUSHED, status="pushed", **place)) == 2  # type: ignore[arg-type]


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
