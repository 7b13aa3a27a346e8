"""The figures of a multiclass classification equal those of scikit-learn."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn import metrics

from components.model_figures.multiclass import OTHERS, describe_multiclass

RANDOM = np.random.default_rng(0)


def sample(rows: int, count: int) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    logits = RANDOM.normal(size=(rows, count)) * 2
    odds = np.exp(logits)
    labels = (logits + RANDOM.gumbel(size=logits.shape)).argmax(axis=1)
    return labels, odds / odds.sum(axis=1, keepdims=True), tuple(f"c{i}" for i in range(count))


def test_classes_confusion_and_areas_equal_those_of_scikit_learn() -> None:
    labels, p, names = sample(500, 4)
    found = describe_multiclass(labels, p.astype(np.float32), names)
    predicted = p.argmax(axis=1)
    order = [names.index(name) for name in found.confusion_classes]
    assert np.array(found.confusion).tolist() == (
        metrics.confusion_matrix(labels, predicted, labels=order).tolist()
    )
    values = metrics.precision_recall_fscore_support(labels, predicted)
    assert [c.f1 for c in found.classes] == sorted(values[2])
    for entry in found.classes:
        i = names.index(entry.name)
        assert (entry.precision, entry.recall, entry.f1, entry.examples) == pytest.approx(
            [v[i] for v in values]
        )
        assert entry.auc == pytest.approx(metrics.roc_auc_score(labels == i, p[:, i]), abs=1e-6)
        assert len(entry.roc.x) > 2


def test_the_largest_mixups_come_first() -> None:
    labels = np.array([0] * 10 + [1] * 5)
    p = np.eye(3)[[0] * 4 + [1] * 6 + [2] * 2 + [1] * 3]
    found = describe_multiclass(labels, p, ("a", "b", "c"))
    assert [(m.label, m.predicted, m.examples) for m in found.mixups] == [
        ("a", "b", 6),
        ("b", "c", 2),
    ]
    assert found.mixups[0].share == pytest.approx(0.6)


def test_a_thousand_classes_are_summed_up_quickly() -> None:
    labels, p, names = sample(20_000, 1000)
    start = time.monotonic()
    found = describe_multiclass(labels, p.astype(np.float32), names)
    assert time.monotonic() - start < 20
    assert len(found.classes) == 1000
    assert len(found.confusion_classes) == 30
    assert found.confusion_classes[-1] == OTHERS
    assert sum(map(sum, found.confusion)) == 20_000
    assert sum(c.roc is not None for c in found.classes) <= 10
    assert len(found.mixups) == 20


def test_a_class_that_does_not_occur_has_no_figures() -> None:
    p = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1]], np.float32)
    found = describe_multiclass(np.array([0, 1]), p, ("a", "b", "c"))
    last = found.classes[-1]
    assert (last.name, last.f1, last.recall, last.auc, last.roc) == ("c", None, None, None, None)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rows_without_finite_predictions_are_left_out(value: float) -> None:
    p = np.array([[value, 0.3, 0.1], [0.2, 0.7, 0.1], [0.2, 0.7, 0.1]], np.float32)
    found = describe_multiclass(np.array([0, 1, -1]), p, ("a", "b", "c"))
    assert sum(map(sum, found.confusion)) == 1


def test_no_rows_have_empty_figures() -> None:
    found = describe_multiclass(
        np.empty(0, np.int64), np.empty((0, 3), np.float32), ("a", "b", "c")
    )
    assert found.calibration == found.mixups == ()
