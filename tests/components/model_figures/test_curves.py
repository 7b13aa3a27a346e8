"""Curves equal those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from components.model_figures.curves import NO_CURVE, precision_recall_curve, roc_curve

RANDOM = np.random.default_rng(0)


def sample(rows: int, digits: int = 9) -> tuple[np.ndarray, np.ndarray]:
    scores = RANDOM.random(rows).round(digits)
    return RANDOM.random(rows) < scores, scores


@pytest.mark.parametrize(("rows", "digits"), [(150, 9), (3000, 2)])
def test_a_short_curve_has_every_point(rows: int, digits: int) -> None:
    positive, scores = sample(rows, digits)
    x, y, _ = metrics.roc_curve(positive, scores, drop_intermediate=False)
    roc = roc_curve(positive, scores)
    assert roc.x == pytest.approx(x)
    assert roc.y == pytest.approx(y)
    precision, recall, _ = metrics.precision_recall_curve(positive, scores)
    found = precision_recall_curve(positive, scores)
    assert found.x == pytest.approx(recall[:-1][::-1])
    assert found.y == pytest.approx(precision[:-1][::-1])


def test_a_long_curve_keeps_its_shape() -> None:
    positive, scores = sample(50_000)
    roc = roc_curve(positive, scores)
    assert 150 < len(roc.x) <= 202
    assert (roc.x[0], roc.y[0], roc.x[-1], roc.y[-1]) == (0, 0, 1, 1)
    area = metrics.auc(roc.x, roc.y)
    assert area == pytest.approx(metrics.roc_auc_score(positive, scores), abs=1e-3)
    found = precision_recall_curve(positive, scores)
    assert len(found.x) <= 202
    assert metrics.auc(found.x, found.y) == pytest.approx(
        metrics.average_precision_score(positive, scores), abs=5e-3
    )


def test_equal_scores_make_one_step() -> None:
    roc = roc_curve(np.array([True, False, True]), np.full(3, 0.5))
    assert (roc.x, roc.y) == ((0, 1), (0, 1))


@pytest.mark.parametrize("positive", [[], [True, True]])
def test_there_is_no_roc_without_both_classes(positive: list[bool]) -> None:
    assert roc_curve(np.array(positive, bool), np.full(len(positive), 0.5)) == NO_CURVE


@pytest.mark.parametrize("positive", [[], [False, False]])
def test_there_is_no_precision_without_positives(positive: list[bool]) -> None:
    scores = np.full(len(positive), 0.5)
    assert precision_recall_curve(np.array(positive, bool), scores) == NO_CURVE
