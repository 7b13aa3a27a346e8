"""A bound is judged as the Evaluator judges it, and value, bound and difference are told."""

import math

import pytest
from tensorflow_model_analysis.evaluators import metrics_validator
from tensorflow_model_analysis.metrics import metric_types
from tensorflow_model_analysis.proto import config_pb2

from components.predictions.bounds import judge_change, judge_value


def test_value_bound_and_difference_are_told() -> None:
    assert judge_value("auc", 0.842, 0.57, "at least").sentence == (
        "auc is 0.842, at least 0.57 was asked for (met by 0.272)"
    )
    assert judge_value("rmse", 12.0, 10, "at most").sentence == (
        "rmse is 12, at most 10 was asked for (missed by 2)"
    )
    assert judge_change("auc", 0.84, 0.87, 0.02, higher_is_better=True).sentence == (
        "auc fell by 0.03 to 0.84 against the served model's 0.87, a fall of 0.02 is allowed "
        "(missed by 0.01)"
    )
    assert judge_change("rmse", 9.0, 10.0, 2.0, higher_is_better=False).sentence == (
        "rmse fell by 1 to 9 against the served model's 10, a rise of 2 is allowed (met by 3)"
    )
    assert judge_change("auc", 0.5, 0.5, 0.0, higher_is_better=True).sentence == (
        "auc stayed at 0.5 against the served model's 0.5, a fall of 0 is allowed (met: equal)"
    )


def test_a_value_that_cannot_be_computed_meets_no_bound() -> None:
    for value in (None, math.nan):
        assert not judge_value("auc", value, 0.5, "at most").is_met
        assert not judge_change("auc", 0.5, value, 0.5, higher_is_better=True).is_met


@pytest.mark.parametrize("value", [0.7, math.nextafter(0.7, 0), math.nextafter(0.7, 1)])
def test_the_judgement_at_equality_is_that_of_tensorflow_model_analysis(value: float) -> None:
    assert judge_value("auc", value, 0.7, "at least").is_met == passes(value, lower_bound=0.7)
    assert judge_value("auc", value, 0.7, "at most").is_met == passes(value, upper_bound=0.7)


def passes(value: float, **bounds: float) -> bool:
    config = config_pb2.EvalConfig(
        model_specs=[{}], slicing_specs=[{}], metrics_specs=[config_pb2.MetricsSpec()]
    )
    thresholds = config.metrics_specs[0].per_slice_thresholds["auc"].thresholds.add()
    thresholds.slicing_specs.add()
    for name, bound in bounds.items():
        getattr(thresholds.threshold.value_threshold, name).value = bound
    key = metric_types.MetricKey(name="auc", example_weighted=None)
    return bool(metrics_validator.validate_metrics(((), {key: value}), config).validation_ok)
