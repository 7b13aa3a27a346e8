"""The metrics stand beside their bounds, and the Evaluator alone says which ones are missed."""

from pathlib import Path

from runs_for_pages import artifact, make_run, node, penguins

from components.model_figures.figures import Estimate, MetricFigures, ModelFigures
from pipeline.core.contracts import Channel, Node
from pipeline.core.events import RunEnded, ServingCheckResult, to_json
from pipeline.core.text import readable_json
from pipeline.runners.reporting.parts.quality import describe_quality

BOUNDS = "{metric: accuracy, at_least: 0.9}, {metric: f1, at_least: 0.5}"
METRICS = {"": {"accuracy": 0.8, "f1[Adelie]": 0.7, "examples": 67.0}}
MISSED = "accuracy on the whole split is 0.8, at least 0.9 was asked for (missed by 0.1)"
FIGURES = ModelFigures(
    task="multiclass", classes=(), split="test", examples=67, bootstrap_examples=67, baseline="3",
    metrics=(
        MetricFigures("f1", Estimate(0.5, 0.4, 0.6), Estimate(0.6, 0.5, 0.7), None, None),
    ),
    slices=(), gaps=(), binary=None, multiclass=None, regression=None, wrong_rows=(), loss="",
    importance=(), importance_examples=0, dependence=(), notes=(),
)  # fmt: skip


def test_a_missed_metric_has_not_passed() -> None:
    ended = RunEnded(
        4, blessed=False, metrics=METRICS, baseline_metrics={"accuracy": 0.85}, missed=(MISSED,)
    )
    run = make_run(ended, config=penguins(f"evaluation.thresholds=[{BOUNDS}]"))
    part = describe_quality(run, {}, None)
    assert part
    assert part.blessed is False
    assert part.missed == (MISSED,)
    rows = {row.name: (row.value, row.served, row.bound, row.passed) for row in part.metrics}
    assert rows == {
        "examples": (67.0, None, "", None),
        "accuracy": (0.8, 0.85, "at least 0.9", False),
        "f1[Adelie]": (0.7, None, "at least 0.5", True),
    }


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
