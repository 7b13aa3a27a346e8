"""The metrics that a threshold can name, each with its tasks and its better direction."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.config.sections.label import Task


@dataclass(frozen=True)
class Metric:
    """A metric, and what a threshold must know of it."""

    tasks: tuple[Task, ...]
    higher_is_better: bool | None
    """None if the best value lies between the extremes; such a metric has no `may_worsen_by`."""
    help: str
    per_class: bool = False
    low: float = 0
    high: float = 1
    """No model can leave the range from `low` to `high`."""


METRICS: dict[str, Metric] = {
    "auc": Metric(("binary",), True, "area under the ROC curve"),
    "pr_auc": Metric(("binary",), True, "area under the precision-recall curve"),
    "accuracy": Metric(("binary", "multiclass"), True, "share of correct predictions"),
    "balanced_accuracy": Metric(("binary",), True, "mean of the classes' recalls"),
    "precision": Metric(
        ("binary", "multiclass"), True, "correct share of the predicted", per_class=True
    ),
    "recall": Metric(("binary", "multiclass"), True, "found share of the present", per_class=True),
    "f1": Metric(
        ("binary", "multiclass"), True, "harmonic mean of precision and recall", per_class=True
    ),
    "macro_f1": Metric(("multiclass",), True, "mean of the classes' F1"),
    "log_loss": Metric(("binary", "multiclass"), False, "cross-entropy", high=math.inf),
    "calibration": Metric(
        ("binary", "regression"),
        None,
        "mean prediction over mean label",
        low=-math.inf,
        high=math.inf,
    ),
    "rmse": Metric(("regression",), False, "root mean squared error", high=math.inf),
    "mae": Metric(("regression",), False, "mean absolute error", high=math.inf),
    "r2": Metric(("regression",), True, "share of the label's variance explained", low=-math.inf),
}


def metric_name(name: str, class_name: str | None = None) -> str:
    """Returns the name of a metric in the results, such as `f1` or, for one class, `f1[Adelie]`."""
    return name if class_name is None else f"{name}[{class_name}]"
