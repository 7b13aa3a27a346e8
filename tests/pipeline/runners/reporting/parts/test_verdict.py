"""The first sentence of a page says how the run ended; the next ones say why."""

from dataclasses import replace

import pytest
from runs_for_pages import OUTPUT, complete, make_run

from pipeline.core.contracts import NO_REFERENCE, Node
from pipeline.core.events import (
    ComponentChanged,
    DagFailure,
    DataChecked,
    Event,
    Failure,
    Finding,
    RunEnded,
    SearchResults,
    ServingCheckResult,
    TrialResult,
    WithdrawnModel,
)
from pipeline.core.statuses import Status
from pipeline.report.content import BoundCheck, MetricRow, QualityPart, Verdict
from pipeline.runners.reporting.parts.components import list_components
from pipeline.runners.reporting.parts.local_place import LocalPlace
from pipeline.runners.reporting.parts.verdict import describe_verdict

FINDINGS = tuple(
    Finding(column, "drift", severity, ("train",), "has changed", "0.1", "0.4", (), "a way", "")
    for column, severity in (("color", "stop"), ("price", "warn"))
)
QUALITY = QualityPart(
    blessed=True,
    missed=(),
    metrics=(
        MetricRow(
            "auc", 0.9331, 0.92, "at least 0.8", True,
            (BoundCheck("auc is 0.9331, at least 0.8 was asked for", True, 0.1331),),
        ),
        MetricRow(
            "recall", None, None, "at least 0.1", False,
            (BoundCheck("recall cannot be computed, at least 0.1 was asked for", False, None),),
        ),
        MetricRow("f1", 0.5, None, "", None),
    ),
    figures=None,
)  # fmt: skip


def judge(
    *events: Event, status: str, exit_code: int | None, quality: QualityPart | None = None
) -> Verdict:
    run = make_run(*events, status=status, exit_code=exit_code)
    return describe_verdict(
        run, LocalPlace(run, OUTPUT, None), list_components(run, {}, {}), quality
    )


def test_a_pushed_model_was_served_from_then_on() -> None:
    pushed = RunEnded(0, blessed=True, pushed="/srv/shop/17")
    verdict = judge(*complete(Node.PUSHER), pushed, status="pushed", exit_code=0, quality=QUALITY)
    assert verdict.headline.endswith("version 17 was served from then on.")
    assert verdict.reasons == (
        "auc is 0.9331, at least 0.8 was asked for.",
        "recall cannot be computed, at least 0.1 was asked for.",
    )
    cached = ComponentChanged(Node.PUSHER, "cached", 0.1)
    assert "served already" in judge(cached, pushed, status="pushed", exit_code=0).headline
    repeated = ComponentChanged(Node.PUSHER, "complete", 0.1, note="version 17 stays served")
    verdict = judge(repeated, pushed, status="pushed", exit_code=0)
    assert verdict.headline == "Nothing was pushed: version 17 stays served."


def test_a_push_that_was_compared_with_nothing_has_a_warning() -> None:
    pushed = RunEnded(0, blessed=True, pushed="/srv/shop/17")
    checked = DataChecked(NO_REFERENCE, ())
    verdict = judge(checked, pushed, status="pushed", exit_code=0, quality=QUALITY)
    [warning] = verdict.warnings
    assert "did not compare the data with the served model's data" in warning
    run = make_run(checked, pushed, status="pushed", exit_code=0)
    assert [f"{sentence}." for sentence in run.summary.warnings] == [warning]


def test_a_waiting_model_is_no_failure_and_shows_its_metrics() -> None:
    waits = RunEnded(6, blessed=True, waiting="/srv/shop/.waiting/17")
    verdict = judge(waits, status="waiting", exit_code=6, quality=QUALITY)
    assert "waited as 17 for a person to promote it" in verdict.headline
    assert verdict.reasons[0].startswith("auc is 0.9331")


def test_a_withdrawn_model_says_who_withdrew_it() -> None:
    ended = RunEnded(7, blessed=True, withdrawn=WithdrawnModel("17", "version 17 was withdrawn"))
    verdict = judge(ended, status="withdrawn", exit_code=7)
    assert "was not pushed" in verdict.headline
    assert verdict.reasons == ("Version 17 was withdrawn.",)


def test_warnings_of_the_run_stand_in_the_verdict() -> None:
    pushed = RunEnded(0, blessed=True, pushed="/srv/shop/17", warnings=("auc declines: 0.8 now",))
    verdict = judge(pushed, status="pushed", exit_code=0, quality=QUALITY)
    assert verdict.warnings == ("auc declines: 0.8 now.",)


def test_a_missed_threshold_is_the_reason() -> None:
    ended = RunEnded(4, blessed=False, missed=("auc is 0.7, at least 0.8 was asked for",))
    verdict = judge(ended, status="not blessed", exit_code=4)
    assert verdict.headline == "The model missed 1 threshold, so it was not pushed."
    assert verdict.reasons == ("auc is 0.7, at least 0.8 was asked for.",)


def test_the_problems_of_the_serving_check_are_the_reasons() -> None:
    check = ServingCheckResult(False, ("the process ended", "it is slow"), 5, (), ())
    ended = RunEnded(5, blessed=True, serving_check=check)
    verdict = judge(ended, status="serving check failed", exit_code=5)
    assert verdict.headline == "The serving check found 2 problems, so the model was not pushed."
    assert verdict.reasons == ("the process ended.", "it is slow.")


def test_the_findings_that_stop_a_run_are_the_reasons() -> None:
    error = DagFailure("2 findings", component=Node.ANOMALY_GATE)
    events = (DataChecked("the served model 3", FINDINGS), RunEnded(3, error=error))
    verdict = judge(*events, status="stopped by the data gate", exit_code=3)
    assert "because of 1 finding." in verdict.headline
    assert verdict.reasons == ("color: has changed; expected 0.1, found 0.4.",)


def test_a_component_that_refuses_the_data_is_named() -> None:
    failed = ComponentChanged(Node.EXAMPLE_GEN, "failed", 0.1)
    error = DagFailure("row 3 has 4 cells", component=Node.EXAMPLE_GEN)
    events = (failed, RunEnded(3, error=error))
    verdict = judge(*events, status="data refused", exit_code=3)
    assert verdict.headline == "ExampleGen refused the data."
    assert verdict.reasons == ("row 3 has 4 cells",)


def test_rows_that_are_refused_after_the_push_leave_the_push_as_it_is() -> None:
    error = DagFailure("3 of 9 rows cannot be scored", component=Node.BATCH_PREDICTOR)
    ended = RunEnded(3, error=error, blessed=True, pushed="/srv/17")
    verdict = judge(ended, status="data refused", exit_code=3)
    assert verdict.headline == "BatchPredictor refused the data."
    assert "version 17 is complete" in verdict.reasons[-1]


def test_a_failure_outside_of_all_components_is_a_failure_of_the_run() -> None:
    verdict = judge(RunEnded(1, error=Failure("no GPU")), status="failed", exit_code=1)
    assert (verdict.headline, verdict.reasons) == ("The run failed.", ("no GPU",))


def test_endings_from_outside_name_the_component_at_work() -> None:
    at_work = ComponentChanged(Node.TRAINER, "running")
    stopped = ComponentChanged(Node.TRAINER, "interrupted", 3.0)
    assert (
        "interrupted the run during Trainer"
        in judge(stopped, status="interrupted", exit_code=130).headline
    )
    died = judge(at_work, status="died", exit_code=None)
    assert "killed during Trainer" in died.headline
    assert died.exit_code is None
    pushed = judge(RunEnded(0, pushed="/srv/17"), status="died", exit_code=None)
    assert "version 17 is complete" in pushed.reasons[-1]


def test_a_search_names_its_best_trial() -> None:
    trial = TrialResult("1", {"training.epochs": 3}, "done", 0.5)
    results = SearchResults("eval_loss", (trial,), "1", "abc", {"training.epochs": 3})
    verdict = judge(RunEnded(0, tuning=results), status="tuned", exit_code=0)
    assert verdict.headline == "The search ended: trial 1 is the best, eval_loss 0.5."
    assert verdict.reasons == ("training.epochs = 3",)


def test_a_run_at_work_says_since_when_and_how_far_it_is() -> None:
    at_work = (*complete(Node.EXAMPLE_GEN), ComponentChanged(Node.ANOMALY_GATE, "running"))
    verdict = judge(*at_work, status="running", exit_code=None)
    assert "at work since 23 November 2026, 06:11" in verdict.headline
    assert verdict.headline.endswith("when this page was written: 1 of 4 components done.")
    assert verdict.reasons == ("AnomalyGate was running.",)


def test_the_best_trial_is_told_also_if_its_objective_is_zero() -> None:
    trial = TrialResult("3", {"training.epochs": 5}, "done", 0.0)
    results = SearchResults("eval_loss", (trial,), "3", "search-1", trial.values)
    verdict = judge(RunEnded(0, tuning=results), status="tuned", exit_code=0)
    assert verdict.headline == "The search ended: trial 3 is the best, eval_loss 0."


def test_a_damaged_summary_is_named() -> None:
    run = replace(
        make_run(status="summary damaged"), damage="out/summary.json has no usable status"
    )
    rows = list_components(run, {}, {})
    verdict = describe_verdict(run, LocalPlace(run, OUTPUT, None), rows, None)
    assert "Nobody can tell how the run ended" in verdict.headline
    assert verdict.reasons[0].startswith("out/summary.json has no usable status.")


@pytest.mark.parametrize("status", Status)
def test_every_ending_has_a_headline(status: Status) -> None:
    verdict = judge(status=status, exit_code=status.exit_code)
    assert verdict.headline.endswith(".")
    assert verdict.status == status
