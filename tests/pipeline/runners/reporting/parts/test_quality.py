"""The metrics stand beside their bounds, each with its own judgement."""

from pathlib import Path

from runs_for_pages import artifact, make_run, node, penguins

from components.model_figures.figures import Estimate, MetricFigures, ModelFigures
from pipeline.core.contracts import Channel, Node
from pipeline.core.events import RunEnded, ServingCheckResult, to_json
from pipeline.core.text import readable_json
from pipeline.runners.reporting.parts.quality import describe_quality

METRICS = {"": {"accuracy": 0.8, "f1[Adelie]": 0.7, "examples": 67.0}}
FIGURES = ModelFigures(
    task="multiclass", classes=(), split="test", examples=67, bootstrap_examples=67, baseline="3",
    metrics=(
        MetricFigures("f1", Estimate(0.5, 0.4, 0.6), Estimate(0.6, 0.5, 0.7), None, None),
    ),
    slices=(), gaps=(), binary=None, multiclass=None, regression=None, wrong_rows=(), loss="",
    importance=(), importance_examples=0, dependence=(), notes=(),
)  # fmt: skip


def test_each_bound_is_judged_and_told_by_itself() -> None:
    bounds = "{metric: accuracy, at_least: 0.57, may_worsen_by: 0.02}, {metric: f1, at_least: 0.7}"
    ended = RunEnded(4, blessed=False, metrics=METRICS, baseline_metrics={"accuracy": 0.85})
    run = make_run(ended, config=penguins(f"evaluation.thresholds=[{bounds}]"))
    part = describe_quality(run, {}, None)
    assert part
    assert part.blessed is False
    rows = {row.name: row for row in part.metrics}
    assert (rows["examples"].bound, rows["examples"].passed) == ("", None)
    accuracy = rows["accuracy"]
    assert (accuracy.bound, accuracy.passed) == ("at least 0.57, may worsen by 0.02", False)
    assert [(c.passed, c.sentence) for c in accuracy.checks] == [
        (True, "accuracy is 0.8, at least 0.57 was asked for (met by 0.23)"),
        (
            False,
            "accuracy fell by 0.05 to 0.8 against the served model's 0.85, a fall of 0.02 is "
            "allowed (missed by 0.03)",
        ),
    ]
    # A value that is equal to the bound passes.
    assert rows["f1[Adelie]"].passed is True
    assert rows["f1[Adelie]"].checks[0].margin == 0


def test_a_first_model_is_not_compared_with_a_served_one() -> None:
    bounds = "{metric: accuracy, at_least: 0.57, may_worsen_by: 0.02}"
    ended = RunEnded(0, blessed=True, metrics=METRICS)
    run = make_run(ended, config=penguins(f"evaluation.thresholds=[{bounds}]"))
    part = describe_quality(run, {}, None)
    assert part
    row = next(row for row in part.metrics if row.name == "accuracy")
    assert row.passed is True
    assert row.checks[1].passed is None
    assert "there is no served model to compare with" in row.checks[1].sentence


def test_a_run_that_stopped_before_the_evaluation_has_no_quality() -> None:
    assert describe_quality(make_run(), {Node.EVALUATOR: node("failed")}, None) is None


def test_a_run_that_failed_after_the_evaluation_shows_its_figures() -> None:
    nodes = {Node.EVALUATOR: node("complete", artifact(Channel.BLESSING, blessed=1))}
    part = describe_quality(make_run(status="died", exit_code=None), nodes, FIGURES)
    assert part
    assert part.blessed is True
    assert [(row.name, row.value, row.served) for row in part.metrics] == [("f1", 0.5, 0.6)]
    assert part.metrics[0].passed is None


def test_the_serving_check_is_shown_also_if_the_push_failed(tmp_path: Path) -> None:
    check = ServingCheckResult(True, (), 5, (), ())
    path = tmp_path / "serving_check.json"
    path.write_text(readable_json(to_json(check)))
    nodes = {
        Node.EVALUATOR: node("complete", artifact(Channel.BLESSING, blessed=1)),
        Node.SERVING_CHECK: node("complete", artifact(Channel.BLESSING, tmp_path)),
    }
    part = describe_quality(make_run(status="failed", exit_code=1), nodes, FIGURES)
    assert part
    assert part.serving_check == check
    path.write_text("damaged")
    part = describe_quality(make_run(status="failed", exit_code=1), nodes, FIGURES)
    assert part
    assert part.serving_check is None
