"""Bounds that a model meets: only missed bounds on the whole split change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pipeline.config import Config
from pipeline.terminal.missed_bounds import loosen_thresholds
from pipeline.terminal.summary import Summary

THREE = ["a", "b", "c"]


def loosen(
    thresholds: list[dict[str, Any]],
    metrics: Mapping[str, float],
    missed: int = 1,
    served: Mapping[str, float] = {},
    **label: Any,
) -> list[dict[str, Any]]:
    """The thresholds after a run that missed so many; [] without a proposal."""
    config = Config.model_validate(
        {
            "name": "t",
            "data": {"path": "t.csv"},
            "label": {"column": "y", "task": "binary", "classes": ["no", "yes"], **label},
            "features": {"x": {"kind": "numeric"}},
            "evaluation": {"thresholds": thresholds},
        }
    )
    summary = Summary("t", "1", "run.log", metrics={"": metrics}, baseline_metrics=served)
    summary.missed = ["a sentence"] * missed
    value = loosen_thresholds(summary, config)
    return json.loads(value) if value else []


def test_a_missed_bound_becomes_what_the_model_reaches_and_others_stay() -> None:
    thresholds = [
        {"metric": "auc", "at_least": 0.9, "may_worsen_by": 0.02},
        {"metric": "log_loss", "at_most": 0.2},
        {"metric": "calibration", "at_least": 0.8, "at_most": 1.25},
    ]
    metrics = {"auc": 0.81239, "log_loss": 0.30001, "calibration": 1.1}
    auc, log_loss, calibration = loosen(thresholds, metrics, 3, {"auc": 0.9})
    assert auc == {"metric": "auc", "at_least": 0.8123, "may_worsen_by": 0.08762}
    assert log_loss == {"metric": "log_loss", "at_most": 0.3001}
    assert calibration == thresholds[2]
    assert loosen([auc, log_loss, calibration], metrics, 0, {"auc": 0.9}) == []


def test_a_bound_on_every_class_becomes_that_of_the_worst() -> None:
    metrics = {"f1[a]": 0.9, "f1[b]": 0.5, "f1[c]": 0.4}
    [f1] = loosen([{"metric": "f1", "at_least": 0.8}], metrics, 2, task="multiclass", classes=THREE)
    assert f1["at_least"] == 0.4


def test_a_lower_error_is_no_fall() -> None:
    threshold = {"metric": "rmse", "at_most": 10.0, "may_worsen_by": 1.0}
    label = {"task": "regression", "classes": []}
    [rmse] = loosen([threshold], {"rmse": 12.0}, 1, {"rmse": 20.0}, **label)
    assert rmse == {**threshold, "at_most": 12.0}
    [rmse] = loosen([threshold], {"rmse": 9.0}, 1, {"rmse": 7.5}, **label)
    assert rmse == {**threshold, "may_worsen_by": 1.5}


@pytest.mark.parametrize(
    ("threshold", "metrics", "missed"),
    [
        ({"metric": "auc", "at_least": 0.9, "slice_by": ["x"]}, {"auc": 0.95}, 1),
        ({"metric": "auc", "at_least": 0.9}, {"auc": float("nan")}, 1),
        ({"metric": "auc", "at_least": 0.9}, {}, 1),
        ({"metric": "auc", "at_least": 0.9}, {"auc": 0.8}, 2),
    ],
)
def test_what_is_missed_elsewhere_is_left_to_a_person(
    threshold: dict[str, Any], metrics: Mapping[str, float], missed: int
) -> None:
    assert loosen([threshold], metrics, missed) == []
