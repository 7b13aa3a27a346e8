"""Metrics by slice, from batches as TFMA's extractors return them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tensorflow_model_analysis import constants
from tensorflow_model_analysis.proto import config_pb2

from components.evaluator.sliced_metrics import SlicedMetrics
from pipeline.config import LabelConfig

LABEL = LabelConfig(column="y", task="regression")


def sliced_metrics(*models: str, min_slice_size: int = 0) -> SlicedMetrics:
    specs = [config_pb2.ModelSpec(name=m, is_baseline=m == "baseline") for m in models]
    return SlicedMetrics(
        config_pb2.EvalConfig(
            model_specs=specs,
            slicing_specs=[
                config_pb2.SlicingSpec(),
                config_pb2.SlicingSpec(feature_keys=["color"]),
            ],
            options=config_pb2.Options(min_slice_size={"value": min_slice_size}),
        ),
        LABEL,
    )


def batch(labels: Any, predictions: dict[str, np.ndarray]) -> dict[str, Any]:
    """Three rows: red, blue, red."""
    colors = np.array([[b"red"], [b"blue"], [b"red"]], dtype=object)
    return {
        constants.FEATURES_KEY: {"color": colors},
        constants.LABELS_KEY: labels,
        constants.PREDICTIONS_KEY: predictions,
    }


ALONE = batch(np.array([[1.0], [2.0], [3.0]]), {"": np.array([1.0, 4.0, 3.0])})


def compute(metrics: SlicedMetrics, given: dict[str, Any]) -> dict[Any, dict[Any, float]]:
    return {
        key: values
        for slice_key, accumulators in metrics.accumulate(given)
        for key, values in metrics.compute(slice_key, accumulators)
    }


def test_each_slice_of_the_batch_has_its_metrics() -> None:
    by_slice = {
        key: {metric.name: value for metric, value in values.items()}
        for key, values in compute(sliced_metrics(""), ALONE).items()
    }
    assert {key: values["examples"] for key, values in by_slice.items()} == {
        (): 3,
        (("color", "red"),): 2,
        (("color", "blue"),): 1,
    }
    assert by_slice[()]["mae"] == pytest.approx(2 / 3)
    assert by_slice[(("color", "red"),)]["rmse"] == 0
    assert by_slice[(("color", "blue"),)]["rmse"] == 2


def test_a_slice_with_too_few_rows_has_no_metrics_but_the_whole_split_has() -> None:
    assert set(compute(sliced_metrics("", min_slice_size=2), ALONE)) == {(), (("color", "red"),)}
    assert set(compute(sliced_metrics("", min_slice_size=9), ALONE)) == {()}


def test_the_candidate_is_compared_with_the_baseline() -> None:
    labels = np.array([1.0, 2.0, 3.0])
    predictions = {"candidate": labels + 1, "baseline": labels + 3}
    given = batch(dict.fromkeys(predictions, labels), predictions)
    values = compute(sliced_metrics("candidate", "baseline"), given)[()]
    mae = {(key.model_name, key.is_diff): v for key, v in values.items() if key.name == "mae"}
    assert mae == {("candidate", False): 1, ("baseline", False): 3, ("candidate", True): -2}
    assert not any(math.isnan(value) for value in values.values())
