"""Metrics with intervals, of the whole split and of slices."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tiny_served import make_predictions, make_settings

from components.model_figures.metrics import (
    describe_metrics,
    describe_slices,
    measure_constant_guess,
)
from components.predictions.bootstrap import bootstrap

RANDOM = np.random.default_rng(0)
SCORES = RANDOM.random(1000)
LABELS = (RANDOM.random(1000) < SCORES).astype(int)


def test_each_metric_is_compared_with_the_served_model_and_a_constant_guess() -> None:
    served = RANDOM.random(1000)
    predictions = make_predictions("binary", LABELS, SCORES, served)
    found = describe_metrics(predictions, bootstrap(predictions), make_settings("binary"))
    by_name = {m.name: m for m in found}
    auc = by_name["auc"]
    assert auc.candidate.low < auc.candidate.value < auc.candidate.high
    assert auc.difference.value == pytest.approx(auc.candidate.value - auc.served.value)
    assert auc.constant == 0.5
    share = LABELS.mean()
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert by_name["log_loss"].constant == pytest.approx(entropy)


def test_a_constant_guess_of_a_regression_has_no_r2() -> None:
    labels = RANDOM.normal(size=50)
    found = measure_constant_guess(make_predictions("regression", labels, labels))
    assert found["r2"] == 0
    assert found["rmse"] == pytest.approx(labels.std())


def test_metrics_of_single_classes_are_left_out() -> None:
    p = RANDOM.dirichlet(np.ones(3), 100)
    predictions = make_predictions("multiclass", p.argmax(axis=1), p)
    threshold = {"metric": "f1", "class_name": "b", "at_least": 0.1}
    settings = make_settings("multiclass", evaluation={"thresholds": [threshold]})
    names = [m.name for m in describe_metrics(predictions, bootstrap(predictions), settings)]
    assert sorted(names) == ["accuracy", "f1[b]", "log_loss", "macro_f1"]


def test_the_worst_slice_comes_first_and_small_slices_are_left_out() -> None:
    place = np.where(np.arange(1000) < 300, "bad", "good").astype(object)
    place[-3:] = "rare"
    scores = np.where(place == "bad", 1 - SCORES, SCORES)
    predictions = make_predictions("binary", LABELS, scores, slices={"place": pa.array(place)})
    settings = make_settings("binary", evaluation={"slices": [["place"]]})
    found = describe_slices(predictions, settings)
    assert [s.name for s in found] == ["place=bad", "place=good"]
    assert [s.examples for s in found] == [300, 697]
    assert found[0].columns == ("place",)
    auc = found[0].metrics["auc"]
    assert auc.low < auc.value < auc.high < 0.5


def test_a_metric_where_less_is_better_ranks_the_other_way_round() -> None:
    labels = RANDOM.normal(size=100)
    wrong = np.where(np.arange(100) < 50, 5, 0.1)
    slices = {"half": pa.array(["a"] * 50 + ["b"] * 50)}
    predictions = make_predictions("regression", labels, labels + wrong, slices=slices)
    settings = make_settings("regression", evaluation={"slices": [["half"]]})
    assert [s.name for s in describe_slices(predictions, settings)] == ["half=a", "half=b"]


def test_a_slice_without_a_defined_metric_comes_last() -> None:
    slices = {"s": pa.array(["none"] * 30 + ["some"] * 970)}
    labels = np.where(np.arange(1000) < 30, 0, LABELS)
    predictions = make_predictions("binary", labels, SCORES, slices=slices)
    settings = make_settings("binary", evaluation={"slices": [["s"]]})
    found = describe_slices(predictions, settings)
    assert [s.name for s in found] == ["s=some", "s=none"]
    assert found[1].metrics["auc"].value is None
