"""Turns the section `evaluation` into the EvalConfig of TensorFlow Model Analysis."""

from __future__ import annotations

from collections.abc import Iterator

from tensorflow_model_analysis.constants import TF_GENERIC
from tensorflow_model_analysis.proto import config_pb2 as tfma

from pipeline.config import METRICS, Config, Threshold
from pipeline.config.sections.metrics import metric_name
from pipeline.core.contracts import EvaluatedModel, Output, Signature
from trainer_module.names import LABEL_KEY


def make_eval_config(config: Config) -> tfma.EvalConfig:
    """Returns the EvalConfig for a candidate and a baseline.

    It lists only metrics with thresholds; the Evaluator computes all metrics of the task. On a
    first run the Evaluator drops the baseline and the thresholds on change.
    """
    common = {
        # Otherwise TFMA loads each model as a Keras model first, to find out whether it is one.
        "model_type": TF_GENERIC,
        "signature_name": Signature.SERVING_DEFAULT,
        "label_key": LABEL_KEY,
        "prediction_key": Output.BY_TASK[config.label.task],
        "preprocessing_function_names": [Signature.TRANSFORM_LABEL],
    }
    return tfma.EvalConfig(
        model_specs=[
            tfma.ModelSpec(name=EvaluatedModel.CANDIDATE, **common),
            tfma.ModelSpec(name=EvaluatedModel.BASELINE, is_baseline=True, **common),
        ],
        slicing_specs=list(_make_slicing_specs(config)),
        metrics_specs=[_make_metrics_spec(config)],
        options=tfma.Options(
            include_default_metrics={"value": False},
            min_slice_size={"value": config.evaluation.min_slice_size},
        ),
    )


def _make_slicing_specs(config: Config) -> Iterator[tfma.SlicingSpec]:
    evaluation = config.evaluation
    slicings = [
        (),
        *evaluation.slices,
        *(threshold.slice_by for threshold in evaluation.thresholds),
        *(limit.slice_by for limit in evaluation.gaps),
    ]
    for columns in dict.fromkeys(tuple(sorted(c)) for c in slicings):
        yield tfma.SlicingSpec(feature_keys=columns)


def _make_metrics_spec(config: Config) -> tfma.MetricsSpec:
    """Returns the thresholds by metric. Bounds of one metric on the same slices are merged."""
    merged: dict[tuple[str, tuple[str, ...]], tfma.MetricThreshold] = {}
    for bound in config.evaluation.thresholds:
        columns = tuple(sorted(bound.slice_by))
        for class_name in bound.classes(config.label.classes):
            key = (metric_name(bound.metric, class_name), columns)
            _add_bound(merged.setdefault(key, tfma.MetricThreshold()), bound)
    spec = tfma.MetricsSpec()
    for (name, columns), threshold in merged.items():
        spec.per_slice_thresholds[name].thresholds.add(
            slicing_specs=[tfma.SlicingSpec(feature_keys=columns)], threshold=threshold
        )
    return spec


def _add_bound(threshold: tfma.MetricThreshold, bound: Threshold) -> None:
    value, change = threshold.value_threshold, threshold.change_threshold
    if bound.at_least is not None:
        value.lower_bound.value = bound.at_least
    if bound.at_most is not None:
        value.upper_bound.value = bound.at_most
    if bound.may_worsen_by is not None:
        higher = METRICS[bound.metric].higher_is_better
        change.direction = tfma.HIGHER_IS_BETTER if higher else tfma.LOWER_IS_BETTER
        change.absolute.value = -bound.may_worsen_by if higher else bound.may_worsen_by
