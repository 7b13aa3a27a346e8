"""The first sentence of a page says how the run ended; the next ones say why."""

from runs_for_pages import OUTPUT, complete, make_run

from pipeline.core.contracts import Node
from pipeline.core.events import (
    ComponentChanged,
    DagFailure,
    DataChecked,
    Event,
    Failure,
    Finding,
    RunEnded,
    SearchResults,
    TrialResult,
    WithdrawnModel,
)
from pipeline.report.content import MetricRow, QualityPart, Verdict
from pipeline.runners.reporting.parts.components import list_components
from pipeline.runners.reporting.parts.verdict import describe_verdict

FINDINGS = tuple(
    Finding(column, "drift", severity, ("train",), "has changed", "0.1", "0.4", (), "a way", "")
    for column, severity in (("color", "stop"), ("price", "warn"))
)
QUALITY = QualityPart(
    blessed=True,
    missed=(),
    metrics=(
        MetricRow("auc", 0.9331, 0.92, "at least 0.8", True),
        MetricRow("recall", None, None, "at least 0.1", False),
        MetricRow("f1", 0.5, None, "", None),
    ),
    figures=None,
)


def judge(
    *events: Event, status: str, exit_code: int | None, quality: QualityPart | None = None
) -> Verdict:
    run = make_run(*events, status=status, exit_code=exit_code)
    return describe_verdict(run, OUTPUT, list_components(run, {}, {}), quality)


def test_a_pushed_model_is_served() -> None:
    pushed = RunEnded(0, blessed=True, pushed="/srv/shop/17")
    verdict = judge(*complete(Node.PUSHER), pushed, status="pushed", exit_code=0, quality=QUALITY)
    assert verdict.headline.endswith("version 17 is served now.")
    assert verdict.reasons == (
        "auc is 0.9331, allowed: at least 0.8; the served model has 0.92.",
        "recall is undefined, allowed: at least 0.1.",
    )
    cached = ComponentChanged(Node.PUSHER, "cached", 0.1)
    assert "served already" in judge(cached, pushed, status="pushed", exit_code=0).headline


def test_a_waiting_model_is_no_failure_and_shows_its_metrics() -> None:
    waits = RunEnded(6, blessed=True, waiting="/srv/shop/.waiting/17")
    verdict = judge(waits, status="waiting", exit_code=6, quality=QUALITY)
    assert "waits as 17 until a person promotes it" in verdict.headline
    assert verdict.reasons[0].startswith("auc is 0.9331")


def test_a_withdrawn_model_says_who_withdrew_it() -> None:
    ended = RunEnded(7, blessed=True, withdrawn=WithdrawnModel("17", "version 17 was withdrawn"))
    verdict = judge(ended, status="withdrawn", exit_code=7)
    assert "was not pushed" in verdict.headline
    assert verdict.reasons == ("Version 17 was withdrawn.",)


def test_a_missed_threshold_is_the_reason() -> None:
    ended = RunEnded(4, blessed=False, missed=("auc is 0.7, at least 0.8 was asked for",))
    verdict = judge(ended, status="not blessed", exit_code=4)
    assert verdict.headline == "The model missed 1 threshold, so it was not pushed."
    assert verdict.reasons == ("auc is 0.7, at least 0.8 was asked for.",)


def test_the_findings_that_stop_a_run_are_the_reasons() -> None:
    error = DagFailure("2 findings", component=Node.ANOMALY_GATE)
    events = (DataChecked("the served model 3", FINDINGS), RunEnded(3, error=error))
    verdict = judge(*events, status="stopped by the data gate", exit_code=3)
    assert "because of 1 finding." in verdict.headline
    assert verdict.reasons == ("color: has changed; expected 0.1, found 0.4.",)


def test_a_table_that_cannot_be_read_is_a_failure_of_its_reader() -> None:
    failed = ComponentChanged(Node.EXAMPLE_GEN, "failed", 0.1)
    error = DagFailure("row 3 has 4 cells", component=Node.EXAMPLE_GEN)
    events = (failed, RunEnded(3, error=error))
    verdict = judge(*events, status="stopped by the data gate", exit_code=3)
    assert (verdict.headline, verdict.reasons) == ("ExampleGen failed.", ("row 3 has 4 cells",))


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
    assert judge(at_work, status="running", exit_code=None).headline == (
        "The run is at work: Trainer."
    )


def test_a_search_names_its_best_trial() -> None:
    trial = TrialResult("1", {"training.epochs": 3}, "done", 0.5)
    results = SearchResults("eval_loss", (trial,), "1", "abc", {"training.epochs": 3})
    verdict = judge(RunEnded(0, tuning=results), status="tuned", exit_code=0)
    assert verdict.headline == "The search ended: trial 1 is the best, eval_loss 0.5."
    assert verdict.reasons == ("training.epochs = 3",)
