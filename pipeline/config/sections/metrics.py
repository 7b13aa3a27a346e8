"""The metrics a threshold can name: which task each fits, and which way is better."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.config.sections.label import Task


@dataclass(frozen=True)
class Metric:
    """A metric as the user names it."""

    tasks: tuple[Task, ...]
    higher_is_better: bool | None
    """None where the best value lies in between; such a metric cannot worsen."""
    help: str
    per_class: bool = False
    low: float = 0
    high: float = 1
    """The range from `low` to `high` is all that a model can reach."""


METRICS: dict[str, Metric] = {
    "auc": Metric(("binary",), True, "area under the ROC curve"),
    "pr_auc": Metric(("binary",), True, "area under the precision-recall curve"),
    "accuracy": Metric(("binary", "multiclass"), True, "share of right predictions"),
    "balanced_accuracy": Metric(("binary",), True, "mean of the classes' recalls"),
    "precision": Metric(("binary", "multiclass"), True, "right among predicted", per_class=True),
    "recall": Metric(("binary", "multiclass"), True, "found among present", per_class=True),
    "f1": Metric(("binary", "multiclass"), True, "harmonic mean of the two", per_class=True),
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
    """The name of a metric in the results: of one class, the class stands in brackets."""
    return name if class_name is None else f"{name}[{class_name}]"
