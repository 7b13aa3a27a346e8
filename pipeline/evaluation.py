"""From the evaluation section to TensorFlow Model Analysis' EvalConfig."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tensorflow_model_analysis.proto import config_pb2 as tfma

from pipeline.config import METRICS, Config, LabelConfig, Task, Threshold
from trainer_module.features import LABEL_KEY

PREDICTION_KEYS: dict[Task, str] = {
    "binary": "probability",
    "multiclass": "probabilities",
    "regression": "prediction",
}

# The class of TensorFlow Model Analysis behind each name; for multiclass, see _argmax_metrics.
_CLASSES: dict[Task, dict[str, str]] = {
    "binary": {
        "auc": "AUC",
        "pr_auc": "AUCPrecisionRecall",
        "accuracy": "BinaryAccuracy",
        "balanced_accuracy": "BalancedAccuracy",
        "precision": "Precision",
        "recall": "Recall",
        "f1": "F1Score",
        "log_loss": "BinaryCrossEntropy",
        "calibration": "Calibration",
    },
    "multiclass": {"log_loss": "SparseCategoricalCrossentropy"},
    "regression": {
        "rmse": "RootMeanSquaredError",
        "mae": "MeanAbsoluteError",
        "calibration": "Calibration",
    },
}
_OWN_METRICS = "components.evaluator.metrics"


def make_eval_config(config: Config) -> tfma.EvalConfig:
    """The EvalConfig of the candidate and of the baseline, if there will be one.

    TFX drops the baseline's part, and thresholds on change, where nothing is served yet.
    """
    task = config.label.task
    common = {
        "signature_name": "serving_default",
        "label_key": LABEL_KEY,
        "prediction_key": PREDICTION_KEYS[task],
        "preprocessing_function_names": ["transform_label"],
    }
    thresholds = config.evaluation.thresholds
    return tfma.EvalConfig(
        model_specs=[
            tfma.ModelSpec(name="candidate", **common),
            tfma.ModelSpec(name="baseline", is_baseline=True, **common),
        ],
        slicing_specs=list(_slicing_specs(config)),
        metrics_specs=[tfma.MetricsSpec(metrics=list(_metrics(config.label, thresholds)))],
        options=tfma.Options(
            include_default_metrics={"value": False},
            min_slice_size={"value": config.evaluation.min_slice_size},
        ),
    )


def metric_name(name: str, class_name: str | None = None) -> str:
    """The name of a metric in the results: of one class, the class stands in brackets."""
    return name if class_name is None else f"{name}[{class_name}]"


def _slicing_specs(config: Config) -> Iterator[tfma.SlicingSpec]:
    wanted = [(), *config.evaluation.slices, *(t.slice_by for t in config.evaluation.thresholds)]
    for columns in dict.fromkeys(tuple(sorted(c)) for c in wanted):
        yield tfma.SlicingSpec(feature_keys=columns)


def _metrics(label: LabelConfig, thresholds: Iterable[Threshold]) -> Iterator[tfma.MetricConfig]:
    bounds = list(thresholds)
    yield tfma.MetricConfig(class_name="ExampleCount", config='{"name": "examples"}')
    for name, metric in METRICS.items():
        if label.task not in metric.tasks:
            continue
        if name in _CLASSES[label.task]:
            yield _metric(name, bounds, _CLASSES[label.task][name])
        elif name == "r2":
            yield _metric(name, bounds, "RSquared", _OWN_METRICS)
        else:
            yield from _argmax_metrics(name, label, bounds)


def _argmax_metrics(
    name: str, label: LabelConfig, bounds: list[Threshold]
) -> Iterator[tfma.MetricConfig]:
    settings: dict[str, Any] = {
        "statistic": name.removeprefix("macro_"),
        "classes": len(label.classes),
    }
    if not METRICS[name].per_class:
        yield _metric(name, bounds, "ArgmaxScore", _OWN_METRICS, settings)
        return
    for class_id, class_name in enumerate(label.classes):
        yield _metric(
            name,
            [b for b in bounds if b.class_name in (None, class_name)],
            "ArgmaxScore",
            _OWN_METRICS,
            {**settings, "class_id": class_id},
            class_name,
        )


def _metric(
    name: str,
    bounds: Iterable[Threshold],
    class_name: str,
    module: str = "",
    settings: dict[str, Any] | None = None,
    label_class: str | None = None,
) -> tfma.MetricConfig:
    """One metric with its bounds, those on the same slices merged."""
    settings = {**(settings or {}), "name": metric_name(name, label_class)}
    result = tfma.MetricConfig(class_name=class_name, module=module, config=json.dumps(settings))
    by_slice: dict[tuple[str, ...], tfma.MetricThreshold] = {}
    for bound in bounds:
        if bound.metric == name:
            columns = tuple(sorted(bound.slice_by))
            _add_bound(by_slice.setdefault(columns, tfma.MetricThreshold()), bound)
    for columns, threshold in by_slice.items():
        result.per_slice_thresholds.add(
            slicing_specs=[tfma.SlicingSpec(feature_keys=columns)], threshold=threshold
        )
    return result


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
