"""Reads the Evaluator's results: metrics, bounds, and the missed thresholds in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import tensorflow_model_analysis as tfma
from tensorflow_model_analysis.proto import (
    config_pb2,
    metrics_for_slice_pb2,
    validation_result_pb2,
)
from tensorflow_model_analysis.writers import eval_config_writer

from components.predictions.bounds import judge_change, judge_value
from components.predictions.gaps.gaps_file import explain_gap, read_gaps
from pipeline.config.sections.evaluation import describe_bounds
from pipeline.core.contracts import MISSING_INT, MISSING_STRING, EvaluatedModel

Metrics = dict[str, float]


def read_metrics(evaluation: str, model: str = EvaluatedModel.CANDIDATE) -> dict[str, Metrics]:
    """Returns a model's metrics by slice.

    The keys are the names that `describe_slice` returns; "" is the whole split.

    Args:
      evaluation: the directory of the ModelEvaluation artifact.
    """
    return {
        describe_slice(metrics.slice_key): dict(_list_values(metrics, model))
        for metrics in tfma.load_metrics(evaluation)
    }


def describe_slice(slice_key: Any) -> str:
    """Returns a slice's name, such as `payment_type=Cash, trip_start_hour=7`.

    The name of the whole split is empty.
    """
    return ", ".join(f"{s.column}={_describe_value(s)}" for s in slice_key.single_slice_keys)


def read_bounds(evaluation: str) -> dict[str, str]:
    """Returns the bounds on the whole split by metric: `at least 0.7, may worsen by 0.01`."""
    return {name: _describe_bounds(bound) for name, bound in _list_thresholds(evaluation)}


def read_allowed_falls(evaluation: str) -> dict[str, float | None]:
    """Returns `may_worsen_by` of each metric with a threshold on the whole split, None without."""
    return {
        name: abs(bound.change_threshold.absolute.value)
        if bound.change_threshold.HasField("absolute")
        else None
        for name, bound in _list_thresholds(evaluation)
    }


def _list_thresholds(evaluation: str) -> Iterator[tuple[str, config_pb2.MetricThreshold]]:
    """Yields each metric with a threshold on the whole split."""
    config, *_ = eval_config_writer.load_eval_run(evaluation)
    for spec in config.metrics_specs:
        for metric, per_slice in spec.per_slice_thresholds.items():
            for entry in per_slice.thresholds:
                if not any(slicing.feature_keys for slicing in entry.slicing_specs):
                    yield metric, entry.threshold


def explain_failures(evaluation: str) -> list[str]:
    """Returns a sentence for each missed threshold and each missed gap, with values and bounds."""
    result = tfma.load_validation_result(evaluation)
    values, served = (
        read_metrics(evaluation, model)
        for model in (EvaluatedModel.CANDIDATE, EvaluatedModel.BASELINE)
    )
    failures = [
        _explain(failure, where, values.get(where, {}), served.get(where, {}))
        for validation in result.metric_validations_per_slice
        for failure in validation.failures
        for where in [describe_slice(validation.slice_key)]
    ]
    missing = [
        f"no value of {' x '.join(spec.feature_keys)} has enough examples for its threshold"
        for spec in result.missing_slices
    ]
    gaps = [explain_gap(gap) for gap in read_gaps(evaluation) if not gap.passed]
    return failures + missing + gaps


def _describe_bounds(threshold: config_pb2.MetricThreshold) -> str:
    value, change = threshold.value_threshold, threshold.change_threshold
    return describe_bounds(
        at_least=value.lower_bound.value if value.HasField("lower_bound") else None,
        at_most=value.upper_bound.value if value.HasField("upper_bound") else None,
        may_worsen_by=abs(change.absolute.value) if change.HasField("absolute") else None,
    )


def _list_values(
    metrics: metrics_for_slice_pb2.MetricsForSlice, model: str
) -> Iterator[tuple[str, float]]:
    for entry in metrics.metric_keys_and_values:
        # TFMA leaves the name of a single model out.
        name = entry.key.model_name or EvaluatedModel.CANDIDATE
        if name == model and not entry.key.is_diff and entry.value.HasField("double_value"):
            yield entry.key.name, entry.value.double_value.value


def _describe_value(key: Any) -> str:
    kind = key.WhichOneof("kind")
    value = getattr(key, kind) if kind else ""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    # A missing float is NaN, which is the only value that differs from itself.
    missing = text == MISSING_STRING or value == MISSING_INT or value != value
    return "(missing)" if missing else text


def _explain(
    failure: validation_result_pb2.ValidationFailure, where: str, values: Metrics, served: Metrics
) -> str:
    """Returns one missed bound in words.

    Args:
      values: the candidate's metrics on the slice `where`.
      served: those of the served model; empty without one.
    """
    name, threshold = failure.metric_key.name, failure.metric_threshold
    subject = f"{name} on {where or 'the whole split'}"
    value = failure.metric_value.double_value.value
    if failure.message or math.isnan(value):
        return f"{subject} cannot be computed"
    if threshold.HasField("change_threshold"):
        bound = threshold.change_threshold
        return judge_change(
            subject,
            values[name],
            served[name],
            abs(bound.absolute.value),
            higher_is_better=bound.direction == config_pb2.HIGHER_IS_BETTER,
        ).sentence
    lower, upper = threshold.value_threshold.lower_bound, threshold.value_threshold.upper_bound
    if threshold.value_threshold.HasField("lower_bound") and value < lower.value:
        return judge_value(subject, value, lower.value, "at least").sentence
    return judge_value(subject, value, upper.value, "at most").sentence
