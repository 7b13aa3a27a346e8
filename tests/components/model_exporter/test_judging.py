"""Which exports pass, by their predictions alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from components.model_exporter.judging import Judge
from components.predictions.table import Predictions
from components.predictions.terms import Array
from pipeline.config import EvaluationConfig, LabelConfig, Task

ROWS = 2_000


def make_judge(task: Task = "binary", served: bool = False, **evaluation: Any) -> Judge:
    """Returns a judge of a good model, whose score is the label and some noise."""
    random = np.random.default_rng(0)
    classes = {"binary": ("no", "yes"), "multiclass": ("a", "b", "c"), "regression": ()}[task]
    truth = random.normal(size=ROWS)
    labels: Array = (truth > 0).astype(int) if task != "regression" else 100 + truth
    score = truth + random.normal(0, 0.5, ROWS)
    candidate = {
        "binary": 1 / (1 + np.exp(-4 * score)),
        "multiclass": np.stack([1 - (score > 0) * 0.9, 0.05 + (score > 0) * 0.9, score * 0], 1),
        "regression": 100 + score,
    }[task].astype(np.float32)
    metric = {"binary": "auc", "multiclass": "accuracy", "regression": "rmse"}[task]
    bound = {"at_most": 1} if task == "regression" else {"at_least": 0.8}
    table = Predictions(
        task=task,
        classes=classes,
        split="test",
        rows=np.arange(ROWS),
        labels=labels,
        candidate=candidate,
        served=candidate if served else None,
        slices={"shop": pa.array(np.where(np.arange(ROWS) % 2, "east", "west"))},
        total=ROWS,
    )
    fields = {"thresholds": [{"metric": metric, **bound}], **evaluation}
    label = LabelConfig(column="y", task=task, classes=classes)
    return Judge(table, label, EvaluationConfig.model_validate(fields))


def worsen(scores: Array, rows: Any) -> Array:
    """Returns probabilities that are turned around in some rows."""
    changed = scores.copy()
    changed[rows] = 1 - changed[rows]
    return changed


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_models_own_predictions_pass_without_any_tolerance(task: Task) -> None:
    judge = make_judge(task)
    assert judge.explain_failures(judge.table.candidate, 0.0) == []


def test_each_metric_that_worsens_too_much_is_named_with_both_values() -> None:
    judge = make_judge()
    scores = worsen(judge.table.candidate, slice(0, 40))
    reasons = judge.explain_failures(scores, 0.01)
    assert any(r.startswith("accuracy is 0.8") and "0.01 is allowed" in r for r in reasons)
    assert not any(r.startswith("calibration") for r in reasons), "it has no better direction"
    assert judge.explain_failures(scores, 0.5) == []


def test_errors_without_an_upper_limit_are_compared_as_a_share() -> None:
    """A tolerance of 0.002 dollars would mean nothing."""
    judge = make_judge("regression")
    wrong = judge.table.candidate + np.float32(0.05)
    rmse = judge.measure(judge.table.candidate)["rmse"]
    share = judge.measure(wrong)["rmse"] / rmse - 1
    [reason] = [r for r in judge.explain_failures(wrong, share * 0.9) if r.startswith("rmse")]
    assert "of its value" in reason
    assert not [r for r in judge.explain_failures(wrong, share * 1.1) if r.startswith("rmse")]


def test_metrics_of_one_class_count_only_with_a_threshold() -> None:
    scores = make_judge("multiclass").table.candidate.copy()
    wrong = int(np.argmin(make_judge("multiclass").table.labels))
    scores[wrong] = [0.05, 0.95, 0]
    assert make_judge("multiclass").explain_failures(scores, 0.01) == []
    bound = {"metric": "recall", "class_name": "a", "at_least": 0.9999}
    judge = make_judge("multiclass", thresholds=[bound])
    [reason] = judge.explain_failures(scores, 0.01)
    assert reason.startswith("recall[a] on the whole split is")


def test_thresholds_of_slices_hold_for_exports() -> None:
    bound = {"metric": "accuracy", "at_least": 0.6, "slice_by": ["shop"]}
    judge = make_judge(thresholds=[bound])
    scores = worsen(judge.table.candidate, slice(0, None, 2))
    reasons = judge.explain_failures(scores, 1.0)
    assert [r.partition(" is")[0] for r in reasons if " on " in r] == ["accuracy on shop=west"]


def test_an_export_may_not_worsen_against_the_served_model_beyond_its_threshold() -> None:
    bounds = [{"metric": "auc", "at_least": 0.5, "may_worsen_by": 0.001}]
    judge = make_judge(served=True, thresholds=bounds)
    scores = worsen(judge.table.candidate, slice(0, 40))
    assert any("the served model's" in r for r in judge.explain_failures(scores, 1.0))
    assert not make_judge(thresholds=bounds).explain_failures(scores, 1.0)


def test_gaps_between_slices_hold_for_exports() -> None:
    judge = make_judge(gaps=[{"metric": "accuracy", "slice_by": ["shop"], "at_most": 0.1}])
    scores = worsen(judge.table.candidate, slice(0, 1000, 2))
    reasons = judge.explain_failures(scores, 1.0)
    assert any("shop=west" in r and "the difference is" in r for r in reasons)
    assert judge.explain_failures(judge.table.candidate, 1.0) == []


def test_predictions_that_are_no_numbers_or_too_many_fail() -> None:
    judge = make_judge()
    broken = judge.table.candidate.copy()
    broken[3] = np.nan
    assert judge.explain_failures(broken, 1.0) == [
        "the export returns predictions that are NaN or infinite"
    ]
    assert "shape" in judge.explain_failures(broken[:, np.newaxis], 1.0)[0]
