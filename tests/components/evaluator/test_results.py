"""Results of the Evaluator in words."""

from __future__ import annotations

import math

import pytest
from tensorflow_model_analysis.proto import config_pb2, metrics_for_slice_pb2, validation_result_pb2

from components.evaluator.results import _describe_bounds, _explain, describe_slice
from pipeline.core.contracts import MISSING_INT, MISSING_STRING


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([], ""),
        (
            [("payment", {"bytes_value": b"Cash"}), ("hour", {"int64_value": 7})],
            "payment=Cash, hour=7",
        ),
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
