"""The ROC curve and the confusion matrix in the form that Kubeflow's pages draw and compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from components.model_figures.figures import BinaryFigures, ModelFigures, ThresholdRow

_DECIDING = 0.5
"""The probability from which on the served model answers with the positive class."""


def describe_classification(figures: ModelFigures) -> dict[str, Any]:
    """Returns the metadata of an artifact of type `system.ClassificationMetrics`.

    A multiclass model has no ROC curve; a regression has neither, and the result is empty.
    """
    if (binary := figures.binary) is not None:
        [row] = (row for row in binary.thresholds if row.threshold == _DECIDING)
        matrix = [
            [row.true_negatives, row.false_positives],
            [row.false_negatives, row.true_positives],
        ]
        curve = _list_points(binary)
        return {
            **({"confidenceMetrics": curve} if curve else {}),
            "confusionMatrix": _make_matrix(figures.classes, matrix),
        }
    if (multiclass := figures.multiclass) is not None:
        return {"confusionMatrix": _make_matrix(multiclass.confusion_classes, multiclass.confusion)}
    return {}


def _list_points(binary: BinaryFigures) -> list[dict[str, float]]:
    """Returns the points from (0, 0) to (1, 1); none if the rows are all of one class."""
    rows = binary.thresholds
    positives = rows[0].true_positives + rows[0].false_negatives
    negatives = rows[0].false_positives + rows[0].true_negatives
    if not positives or not negatives:
        return []
    # Kubeflow cannot store an infinite threshold, which no row would reach.
    first = ThresholdRow(1.0, 0, 0, positives, negatives)
    last = ThresholdRow(0.0, positives, negatives, 0, 0)
    return [
        {
            "confidenceThreshold": row.threshold,
            "recall": row.true_positives / positives,
            "falsePositiveRate": row.false_positives / negatives,
        }
        for row in (first, *reversed(rows), last)
    ]


def _make_matrix(classes: Sequence[str], matrix: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Returns the matrix, rows by [label, predicted class]."""
    return {
        "annotationSpecs": [{"displayName": name} for name in classes],
        "rows": [{"row": list(row)} for row in matrix],
    }
