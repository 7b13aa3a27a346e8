"""The figures of a multiclass classification, of 3 to 1,000 classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.model_figures.calibration import calibrate
from components.model_figures.curves import NO_CURVE, roc_curve
from components.model_figures.figures import ClassFigures, Curve, Mixup, MulticlassFigures
from components.predictions.formulas import divide
from components.predictions.terms import Array

OTHERS = "(all other classes)"
_MOST_CLASSES = 30
_MOST_MIXUPS = 20
_MOST_CURVES = 10
_MOST_SCORES = 10_000_000
"""Scores to sort for the areas under the curves: two seconds. Of 1,000 classes, 10,000 rows."""


def describe_multiclass(
    labels: Array, predictions: Array, classes: Sequence[str]
) -> MulticlassFigures:
    """Returns the figures of the rows whose predictions are finite.

    Args:
      labels: indices of classes [n]; rows with others are left out.
      predictions: probabilities [n, classes].
      classes: their names.
    """
    valid = np.isfinite(predictions).all(axis=1) & (labels >= 0)
    labels, predictions = labels[valid], predictions[valid]
    predicted = predictions.argmax(axis=1) if len(predictions) else labels
    pairs = np.bincount(labels * len(classes) + predicted, minlength=len(classes) ** 2)
    confusion = pairs.reshape(len(classes), len(classes))
    shown, names = _choose_classes(confusion, classes)
    certainty = predictions[np.arange(len(labels)), predicted].astype(np.float64)
    return MulticlassFigures(
        classes=_describe_classes(labels, predictions, confusion, classes),
        confusion_classes=names,
        confusion=_sum_up(confusion, shown, len(names)),
        mixups=_find_mixups(confusion, classes),
        calibration=calibrate(certainty, labels == predicted),
    )


def _describe_classes(
    labels: Array, predictions: Array, confusion: Array, classes: Sequence[str]
) -> tuple[ClassFigures, ...]:
    hits, actual, guessed = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    precision, recall = divide(hits, guessed), divide(hits, actual)
    f1 = divide(2 * hits, actual + guessed)
    areas = _measure_areas(labels, predictions, len(classes))
    order = np.argsort(np.where(np.isnan(f1), 2, f1), kind="stable").tolist()
    curves = {
        index: curve
        for index in order[:_MOST_CURVES]
        if (curve := _curve_of_class(labels, predictions, index)) != NO_CURVE
    }
    return tuple(
        ClassFigures(
            name=classes[index],
            examples=int(actual[index]),
            precision=_defined(precision[index]),
            recall=_defined(recall[index]),
            f1=_defined(f1[index]),
            auc=_defined(areas[index]),
            roc=curves.get(index),
        )
        for index in order
    )


def _curve_of_class(labels: Array, predictions: Array, index: int) -> Curve:
    return roc_curve(labels == index, predictions[:, index].astype(np.float64))


def _measure_areas(labels: Array, predictions: Array, count: int) -> list[float]:
    """Returns the area under the ROC curve of each class against the rest; a tie counts half."""
    step = max(1, len(labels) * count // _MOST_SCORES)
    labels, predictions = labels[::step], predictions[::step]
    return [_measure_area(labels == index, predictions[:, index]) for index in range(count)]


def _measure_area(positive: Array, scores: Array) -> float:
    _, place, ties = np.unique(scores, return_inverse=True, return_counts=True)
    # The mean rank of equal scores.
    ranks = np.cumsum(ties) - (ties - 1) / 2
    n, m = int(positive.sum()), int((~positive).sum())
    above = ranks[place.reshape(-1)][positive].sum() - n * (n + 1) / 2
    return float(divide(above, n * m))


def _choose_classes(confusion: Array, classes: Sequence[str]) -> tuple[Array, tuple[str, ...]]:
    """Returns the place of each class in the shown matrix, and the names of the places."""
    order = np.argsort(-confusion.sum(axis=1), kind="stable")
    places = np.empty(len(classes), np.int64)
    places[order] = np.arange(len(classes))
    if len(classes) <= _MOST_CLASSES:
        return places, tuple(classes[index] for index in order)
    names = (*(classes[index] for index in order[: _MOST_CLASSES - 1]), OTHERS)
    return np.minimum(places, _MOST_CLASSES - 1), names


def _sum_up(confusion: Array, places: Array, count: int) -> tuple[tuple[int, ...], ...]:
    result = np.zeros((count, count), np.int64)
    np.add.at(result, (places[:, np.newaxis], places[np.newaxis, :]), confusion)
    return tuple(map(tuple, result.tolist()))


def _find_mixups(confusion: Array, classes: Sequence[str]) -> tuple[Mixup, ...]:
    wrong = confusion.copy()
    np.fill_diagonal(wrong, 0)
    totals = confusion.sum(axis=1)
    largest = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_MIXUPS].tolist()
    pairs = ((divmod(cell, len(classes))) for cell in largest)
    return tuple(
        Mixup(classes[i], classes[j], int(wrong[i, j]), float(wrong[i, j] / totals[i]))
        for i, j in pairs
        if wrong[i, j]
    )


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
