"""Maps this project's metrics to the classes of TensorFlow Model Analysis that compute the same."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tensorflow_model_analysis.proto import config_pb2

from pipeline.config import Task

_CLASSES: Mapping[Task, Mapping[str, str]] = {
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
    "multiclass": {
        "accuracy": "SparseCategoricalAccuracy",
        "log_loss": "SparseCategoricalCrossentropy",
    },
    "regression": {
        "rmse": "RootMeanSquaredError",
        "mae": "MeanAbsoluteError",
        "calibration": "Calibration",
    },
}


def with_tfma_metrics(eval_config: config_pb2.EvalConfig, task: Task) -> config_pb2.EvalConfig:
    """Returns the configuration for TFX's Evaluator, which only computes metrics that name a class.

    Slices and thresholds stay the same.
    """
    result = config_pb2.EvalConfig()
    result.CopyFrom(eval_config)
    for name, class_name in {"examples": "ExampleCount", **_CLASSES[task]}.items():
        settings = json.dumps({"name": name})
        result.metrics_specs[0].metrics.add(class_name=class_name, config=settings)
    # TFMA applies thresholds by name to the model's own metrics only, so each metric gets its own.
    bounds = dict(result.metrics_specs[0].per_slice_thresholds)
    result.metrics_specs[0].ClearField("per_slice_thresholds")
    for metric in result.metrics_specs[0].metrics:
        name = json.loads(metric.config)["name"]
        if name in bounds:
            metric.per_slice_thresholds.extend(bounds[name].thresholds)
    return result
