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
    assert judge_change("rmse", 10.5, 10.0, 0.25, higher_is_better=False).sentence == (
        "rmse rose by 0.5 to 10.5 against the served model's 10, a rise of 0.25 is allowed "
        "(missed by 0.25)"
    )
    assert judge_change("auc", 0.5, 0.5, 0.0, higher_is_better=True).sentence == (
        "auc stayed at 0.5 against the served model's 0.5, a fall of 0 is allowed (met: equal)"
    )


def test_a_value_that_cannot_be_computed_meets_no_bound() -> None:
    for value in (None, math.nan):
        judgement = judge_value("auc", value, 0.5, "at most")
        assert not judgement.is_met
        assert judgement.sentence == "auc cannot be computed, at most 0.5 was asked for"
        assert_cannot_be_compared(0.5, value)
        assert_cannot_be_compared(value, 0.5)


def test_two_infinite_values_have_no_difference_that_meets_a_bound() -> None:
    assert_cannot_be_compared(math.inf, math.inf)


def assert_cannot_be_compared(value: float | None, served: float | None) -> None:
    judgement = judge_change("auc", value, served, 0.5, higher_is_better=True)
    assert not judgement.is_met
    assert judgement.sentence == "auc cannot be compared with the served model's"


@pytest.mark.parametrize("value", [0.7, math.nextafter(0.7, 0), math.nextafter(0.7, 1)])
def test_the_judgement_at_equality_is_that_of_tensorflow_model_analysis(value: float) -> None:
    assert judge_value("auc", value, 0.7, "at least").is_met == passes(value, lower_bound=0.7)
    assert judge_value("auc", value, 0.7, "at most").is_met == passes(value, upper_bound=0.7)


@pytest.mark.parametrize("value", [0.5, 0.25, 0.75, 0.375, 0.625])
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_a_change_is_judged_as_tensorflow_model_analysis_judges_it(
    value: float, higher_is_better: bool
) -> None:
    judgement = judge_change("auc", value, 0.5, 0.125, higher_is_better=higher_is_better)
    change = config_pb2.GenericChangeThreshold(
        direction=config_pb2.HIGHER_IS_BETTER if higher_is_better else config_pb2.LOWER_IS_BETTER,
        absolute={"value": -0.125 if higher_is_better else 0.125},
    )
    threshold = config_pb2.MetricThreshold(change_threshold=change)
    assert judgement.is_met == is_accepted(value - 0.5, threshold)


def passes(value: float, **bounds: float) -> bool:
    bound = config_pb2.GenericValueThreshold(**{k: {"value": v} for k, v in bounds.items()})
    return is_accepted(value, config_pb2.MetricThreshold(value_threshold=bound))


def is_accepted(value: float, threshold: config_pb2.MetricThreshold) -> bool:
    """Whether TensorFlow Model Analysis accepts a value, or a change."""
    config = config_pb2.EvalConfig(
        model_specs=[{}], slicing_specs=[{}], metrics_specs=[config_pb2.MetricsSpec()]
    )
    thresholds = config.metrics_specs[0].per_slice_thresholds["auc"].thresholds
    thresholds.add(slicing_specs=[{}], threshold=threshold)
    is_change = threshold.HasField("change_threshold")
    key = metric_types.MetricKey(name="auc", is_diff=is_change, example_weighted=None)
    return bool(metrics_validator.validate_metrics(((), {key: value}), config).validation_ok)
