"""Results of the Evaluator in words."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from google.protobuf import json_format
from tensorflow_model_analysis.proto import config_pb2, metrics_for_slice_pb2, validation_result_pb2

from components.evaluator.results import (
    _describe_bounds,
    _explain,
    describe_slice,
    explain_failures,
    read_allowed_falls,
    read_bounds,
    read_metrics,
)
from components.predictions.estimates import Estimate, Gap
from components.predictions.gaps.gaps_file import explain_gap, write_gaps
from pipeline.core.contracts import MISSING_INT, MISSING_STRING

CASH = {"single_slice_keys": [{"column": "payment", "bytes_value": b"Cash"}]}


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([], ""),
        (
            [("payment", {"bytes_value": b"Cash"}), ("hour", {"int64_value": 7})],
            "payment=Cash, hour=7",
        ),
        ([("payment", {"bytes_value": b"Gr\xfcn"})], "payment=Gr\ufffdn"),
        ([("payment", {})], "payment="),
        ([("payment", {"bytes_value": MISSING_STRING.encode()})], "payment=(missing)"),
        ([("hour", {"int64_value": MISSING_INT})], "hour=(missing)"),
        ([("fare", {"float_value": math.nan})], "fare=(missing)"),
    ],
)
def test_a_slice_is_named_by_its_columns_and_values(
    values: list[tuple[str, dict[str, object]]], name: str
) -> None:
    keys = [metrics_for_slice_pb2.SingleSliceKey(column=c, **value) for c, value in values]
    assert describe_slice(metrics_for_slice_pb2.SliceKey(single_slice_keys=keys)) == name


def failure(value: float, **threshold: object) -> validation_result_pb2.ValidationFailure:
    return validation_result_pb2.ValidationFailure(
        metric_key={"name": "auc"},
        metric_value={"double_value": {"value": value}},
        metric_threshold=config_pb2.MetricThreshold(**threshold),
    )


def test_a_missed_threshold_is_explained_with_value_bound_and_distance() -> None:
    bounds = {"lower_bound": {"value": 0.8}, "upper_bound": {"value": 0.9}}
    low = failure(0.75, value_threshold=bounds)
    assert _explain(low, "", {}, {}) == (
        "auc on the whole split is 0.75, at least 0.8 was asked for (missed by 0.05)"
    )
    high = failure(0.95, value_threshold=bounds)
    assert _explain(high, "hour=7", {}, {}) == (
        "auc on hour=7 is 0.95, at most 0.9 was asked for (missed by 0.05)"
    )
    change = {"absolute": {"value": -0.02}, "direction": config_pb2.HIGHER_IS_BETTER}
    fallen = failure(-0.03, change_threshold=change)
    assert _explain(fallen, "", {"auc": 0.84}, {"auc": 0.87}) == (
        "auc on the whole split fell by 0.03 to 0.84 against the served model's 0.87, "
        "a fall of 0.02 is allowed (missed by 0.01)"
    )
    assert _explain(failure(math.nan), "", {}, {}) == "auc on the whole split cannot be computed"


def test_bounds_are_described_as_they_were_configured() -> None:
    threshold = config_pb2.MetricThreshold(
        value_threshold={"lower_bound": {"value": 0.7}},
        change_threshold={"absolute": {"value": -0.01}},
    )
    assert _describe_bounds(threshold) == "at least 0.7, may worsen by 0.01"


def test_a_metric_that_tfma_could_not_judge_is_told_as_not_computed() -> None:
    message = validation_result_pb2.ValidationFailure(
        metric_key={"name": "auc"}, metric_value={"double_value": {"value": 0.7}}, message="broken"
    )
    assert _explain(message, "", {}, {}) == "auc on the whole split cannot be computed"


def test_a_rise_of_a_metric_that_should_be_low_is_explained_as_a_rise() -> None:
    change = {"absolute": {"value": 0.5}, "direction": config_pb2.LOWER_IS_BETTER}
    risen = failure(2.0, change_threshold=change)
    assert _explain(risen, "", {"auc": 12.0}, {"auc": 10.0}).endswith(
        "rose by 2 to 12 against the served model's 10, a rise of 0.5 is allowed (missed by 1.5)"
    )


def write_records(directory: Path, name: str, *records: Any) -> None:
    with tf.io.TFRecordWriter(str(directory / name)) as writer:
        for record in records:
            writer.write(record.SerializeToString())


def metrics_of(slice_key: dict[str, Any], *values: tuple[str, str, float]) -> Any:
    """Values as TFMA writes them, each with its model and metric."""
    metrics = metrics_for_slice_pb2.MetricsForSlice(slice_key=slice_key)
    for model, name, value in values:
        entry = metrics.metric_keys_and_values.add(key={"name": name, "model_name": model})
        entry.value.double_value.value = value
    return metrics


def write_metrics(directory: Path, *slices: Any) -> None:
    write_records(directory, "metrics-00000-of-00001.tfrecord", *slices)


def test_the_metrics_of_each_model_are_read_by_slice(tmp_path: Path) -> None:
    whole = metrics_of(
        {}, ("candidate", "auc", 0.9), ("candidate", "accuracy", 0.8), ("baseline", "auc", 0.7)
    )
    difference = whole.metric_keys_and_values.add(
        key={"name": "auc", "model_name": "candidate", "is_diff": True}
    )
    difference.value.double_value.value = 0.2
    words = whole.metric_keys_and_values.add(key={"name": "note", "model_name": "candidate"})
    words.value.bytes_value = b"no number"
    write_metrics(tmp_path, whole, metrics_of(CASH, ("candidate", "auc", 0.6)))
    assert read_metrics(str(tmp_path)) == {
        "": {"auc": 0.9, "accuracy": 0.8},
        "payment=Cash": {"auc": 0.6},
    }
    assert read_metrics(str(tmp_path), "baseline") == {"": {"auc": 0.7}, "payment=Cash": {}}


def test_the_metrics_of_a_single_model_are_those_of_the_candidate(tmp_path: Path) -> None:
    write_metrics(tmp_path, metrics_of({}, ("", "auc", 0.9)))
    assert read_metrics(str(tmp_path)) == {"": {"auc": 0.9}}
    assert read_metrics(str(tmp_path), "baseline") == {"": {}}


def test_bounds_and_allowed_falls_are_those_on_the_whole_split(tmp_path: Path) -> None:
    both = {
        "value_threshold": {"lower_bound": {"value": 0.7}},
        "change_threshold": {"absolute": {"value": -0.01}},
    }
    high = {"value_threshold": {"upper_bound": {"value": 3}}}
    spec = config_pb2.MetricsSpec()
    add_threshold(spec, "auc", both, ["payment"])
    add_threshold(spec, "auc", both)
    add_threshold(spec, "rmse", high)
    add_threshold(spec, "accuracy", high, ["payment"])
    run = config_pb2.EvalRun(eval_config={"metrics_specs": [spec]}, version="1")
    (tmp_path / "eval_config.json").write_text(json_format.MessageToJson(run))
    evaluation = str(tmp_path)
    assert read_bounds(evaluation) == {
        "auc": "at least 0.7, may worsen by 0.01", "rmse": "at most 3",
    }  # fmt: skip
    assert read_allowed_falls(evaluation) == {"auc": 0.01, "rmse": None}


def add_threshold(spec: Any, metric: str, threshold: Any, columns: Any = ()) -> None:
    spec.per_slice_thresholds[metric].thresholds.add(
        slicing_specs=[{"feature_keys": columns}], threshold=threshold
    )


def test_missed_thresholds_missing_slices_and_missed_gaps_are_told(tmp_path: Path) -> None:
    values = ("candidate", "auc", 0.6), ("baseline", "auc", 0.9)
    write_metrics(tmp_path, metrics_of({}, ("candidate", "auc", 0.9)), metrics_of(CASH, *values))
    change = {"absolute": {"value": -0.1}, "direction": config_pb2.HIGHER_IS_BETTER}
    failures = [
        failure(-0.3, change_threshold=change),
        failure(0.6, value_threshold={"lower_bound": {"value": 0.7}}),
    ]
    result = validation_result_pb2.ValidationResult()
    result.metric_validations_per_slice.add(slice_key=CASH, failures=failures)
    result.missing_slices.add(feature_keys=["payment", "hour"])
    write_records(tmp_path, "validations.tfrecord", result)
    missed = Gap(
        "auc", ("hour",), "hour=1", "hour=2", Estimate(0.2, 0.1, 0.3), 0.1, passed=False,
        best_value=0.9, worst_value=0.7,
    )  # fmt: skip
    passed = replace(missed, metric="accuracy", passed=True)
    write_gaps(str(tmp_path), [missed, passed])
    assert explain_failures(str(tmp_path)) == [
        "auc on payment=Cash fell by 0.3 to 0.6 against the served model's 0.9, "
        "a fall of 0.1 is allowed (missed by 0.2)",
        "auc on payment=Cash is 0.6, at least 0.7 was asked for (missed by 0.1)",
        "no value of payment x hour has enough examples for its threshold",
        explain_gap(missed),
    ]


def test_a_missed_bound_on_a_slice_without_metrics_is_told(tmp_path: Path) -> None:
    write_metrics(tmp_path, metrics_of({}, ("candidate", "auc", 0.9)))
    result = validation_result_pb2.ValidationResult()
    result.metric_validations_per_slice.add(
        slice_key=CASH, failures=[failure(0.6, value_threshold={"upper_bound": {"value": 0.5}})]
    )
    write_records(tmp_path, "validations.tfrecord", result)
    [told] = explain_failures(str(tmp_path))
    assert told.startswith("auc on payment=Cash is 0.6, at most 0.5 was asked for")
