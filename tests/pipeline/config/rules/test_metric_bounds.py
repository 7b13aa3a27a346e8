"""Bounds on metrics that do not fit the task, or that another bound makes meaningless."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.config import EvaluationConfig, GapLimit, LabelConfig, Threshold
from pipeline.config.base import dotted
from pipeline.config.rules.metric_bounds import find_broken_bounds

BINARY = LabelConfig(column="y", task="binary", classes=("no", "yes"))
MULTI = LabelConfig(column="y", task="multiclass", classes=("a", "b", "c"))
GOOD = Threshold(metric="accuracy", at_least=0.5)


def find(
    label: LabelConfig, thresholds: Sequence[Threshold] = (), gaps: Sequence[GapLimit] = ()
) -> list[str]:
    evaluation = EvaluationConfig(thresholds=(GOOD, *thresholds), gaps=tuple(gaps))
    return [f"{dotted(e.key)}: {e}" for e in find_broken_bounds(evaluation, label)]


def limit(metric: str, *columns: str, at_most: float = 0.1, **options: str) -> GapLimit:
    return GapLimit(metric=metric, slice_by=columns, at_most=at_most, **options)  # type: ignore[arg-type]


def test_different_gaps_of_metrics_of_the_task_are_accepted() -> None:
    gaps = [limit("recall", "city"), limit("recall", "city", "hour"), limit("log_loss", "city")]
    assert find(BINARY, gaps=[*gaps, limit("calibration", "city", at_most=2)]) == []
    classes = [limit("f1", "city", class_name=name) for name in "ab"]
    assert find(MULTI, gaps=classes) == []


@pytest.mark.parametrize(
    ("label", "gaps", "error"),
    [
        (
            BINARY,
            [limit("recall", "city"), limit("rmse", "city")],
            "evaluation.gaps[2nd].metric: task binary has no metric 'rmse'; it has auc, ",
        ),
        (
            BINARY,
            [limit("recall", "city", at_most=5)],
            "evaluation.gaps[1st].at_most: two values of recall never differ by more than 1",
        ),
        (
            BINARY,
            [limit("f1", "city", class_name="yes")],
            "evaluation.gaps[1st].class_name: f1 has no value per class for task binary",
        ),
        (
            MULTI,
            [limit("f1", "city", class_name="d")],
            "evaluation.gaps[1st].class_name: 'd' is not one of label.classes",
        ),
        (
            BINARY,
            [limit("recall", "a", "b"), limit("recall", "b", "a", at_most=0.2)],
            "evaluation.gaps[2nd]: recall already has a gap on these slices",
        ),
        (
            MULTI,
            [limit("f1", "city", class_name="a"), limit("f1", "city")],
            "evaluation.gaps[2nd]: f1 already has a gap on these slices",
        ),
        (
            BINARY,
            [limit("recall", "city", "city")],
            "evaluation.gaps[1st].slice_by: names a column twice",
        ),
    ],
)
def test_a_gap_that_means_nothing_is_refused_with_its_key(
    label: LabelConfig, gaps: list[GapLimit], error: str
) -> None:
    [found] = find(label, gaps=gaps)
    assert found.startswith(error)


def test_a_second_threshold_of_a_kind_on_the_same_slices_is_refused() -> None:
    [found] = find(BINARY, [Threshold(metric="accuracy", at_least=0.7)])
    assert found.startswith("evaluation.thresholds[2nd].at_least: accuracy already has such a")
