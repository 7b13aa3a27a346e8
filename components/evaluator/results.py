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

from components.predictions.gaps_file import explain_gap, read_gaps
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
    config, *_ = eval_config_writer.load_eval_run(evaluation)
    return {
        metric: _describe_bounds(entry.threshold)
        for spec in config.metrics_specs
        for metric, per_slice in spec.per_slice_thresholds.items()
        for entry in per_slice.thresholds
        if not any(slicing.feature_keys for slicing in entry.slicing_specs)
    }


def explain_failures(evaluation: str) -> list[str]:
    """Returns a sentence for each missed threshold and each missed gap, with values and bounds."""
    result = tfma.load_validation_result(evaluation)
    failures = [
        _explain(failure, describe_slice(validation.slice_key))
        for validation in result.metric_validations_per_slice
        for failure in validation.failures
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


def _explain(failure: validation_result_pb2.ValidationFailure, where: str) -> str:
    subject = f"{failure.metric_key.name} on {where or 'the whole split'}"
    value = failure.metric_value.double_value.value
    if failure.message or math.isnan(value):
        return f"{subject} cannot be computed"
    threshold = failure.metric_threshold
    if threshold.HasField("change_threshold"):
        allowed = threshold.change_threshold.absolute.value
        change = "fell" if value < 0 else "rose"
        return (
            f"{subject} {change} by {abs(value):.4g} against the served model, "
            f"{abs(allowed):.4g} is allowed (missed by {abs(value - allowed):.4g})"
        )
    lower, upper = (threshold.value_threshold.lower_bound, threshold.value_threshold.upper_bound)
    if threshold.value_threshold.HasField("lower_bound") and value < lower.value:
        bound, words = lower.value, "at least"
    else:
        bound, words = upper.value, "at most"
    return (
        f"{subject} is {value:.4g}, {words} {bound:.4g} was asked for "
        f"(missed by {abs(value - bound):.4g})"
    )
