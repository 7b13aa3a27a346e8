"""What Kubeflow's pages draw of a classification."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from example_figures import model_figures
from kfp import dsl

from components.model_figures.binary import describe_binary
from components.model_figures.figures import ModelFigures
from components.model_figures.multiclass import describe_multiclass
from pipeline.runners.kubeflow.in_cluster.classification import describe_classification

LABELS = np.array([0, 0, 1, 1, 1])
SCORES = np.array([0.1, 0.6, 0.4, 0.7, 0.9])


def make_figures(**parts: Any) -> ModelFigures:
    nothing = {"binary": None, "multiclass": None, "regression": None}
    return dataclasses.replace(model_figures("binary", served=False), **{**nothing, **parts})


def make_binary(labels: np.ndarray) -> ModelFigures:
    classes = ("no", "yes")
    return make_figures(
        classes=classes, binary=describe_binary(labels, SCORES[: len(labels)], None, classes)
    )


def test_kubeflows_sdk_writes_the_same_of_the_same_numbers() -> None:
    metadata = describe_classification(make_binary(LABELS))
    ours = metadata["confidenceMetrics"]
    theirs = dsl.ClassificationMetrics()
    theirs.log_roc_curve(
        [p["falsePositiveRate"] for p in ours],
        [p["recall"] for p in ours],
        [p["confidenceThreshold"] for p in ours],
    )
    theirs.log_confusion_matrix(["no", "yes"], [[1, 1], [1, 2]])
    assert metadata == theirs.metadata


def test_the_curve_rises_from_no_row_to_all_rows() -> None:
    points = describe_classification(make_binary(LABELS))["confidenceMetrics"]
    assert points[0] == {"confidenceThreshold": 1.0, "recall": 0, "falsePositiveRate": 0}
    assert points[-1] == {"confidenceThreshold": 0.0, "recall": 1, "falsePositiveRate": 1}
    assert {"confidenceThreshold": 0.65, "recall": 2 / 3, "falsePositiveRate": 0} in points
    for name in ("recall", "falsePositiveRate"):
        values = [point[name] for point in points]
        assert values == sorted(values)


@pytest.mark.parametrize("labels", [np.ones(5, int), np.zeros(5, int), np.empty(0, int)])
def test_rows_of_one_class_have_a_matrix_and_no_curve(labels: np.ndarray) -> None:
    metadata = describe_classification(make_binary(labels))
    assert metadata.keys() == {"confusionMatrix"}
    rows = metadata["confusionMatrix"]["rows"]
    assert sum(sum(row["row"]) for row in rows) == len(labels)


def test_several_classes_have_the_matrix_of_labels_and_predictions() -> None:
    classes = ("a", "b", "c")
    predictions = np.array([[0.8, 0.1, 0.1], [0.2, 0.1, 0.7], [0.1, 0.8, 0.1]])
    multiclass = describe_multiclass(np.array([0, 0, 1]), predictions, classes)
    metadata = describe_classification(make_figures(classes=classes, multiclass=multiclass))
    named = [spec["displayName"] for spec in metadata["confusionMatrix"]["annotationSpecs"]]
    rows = {
        name: row["row"]
        for name, row in zip(named, metadata["confusionMatrix"]["rows"], strict=True)
    }
    assert rows["a"][named.index("a")] == 1
    assert rows["a"][named.index("c")] == 1
    assert rows["b"][named.index("b")] == 1
    assert metadata.keys() == {"confusionMatrix"}


def test_a_regression_has_neither() -> None:
    assert describe_classification(make_figures()) == {}
