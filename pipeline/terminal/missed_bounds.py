"""How a person accepts a model that missed its thresholds, for the terminal and for pages."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from pipeline.config import METRICS, Config
from pipeline.config.sections.evaluation import Threshold
from pipeline.config.sections.metrics import metric_name
from pipeline.terminal.summary import Summary

THRESHOLDS = "evaluation.thresholds"
ACCEPT_TEXT = (
    "If the model is good enough for you, run again with bounds that it meets; nothing is trained "
    "again"
)
CHANGE_TEXT = (
    f"If the model is good enough for you, change the missed bounds in {THRESHOLDS} or "
    "evaluation.gaps and run again; nothing is trained again"
)
PROMOTE_TEXT = (
    "With serving.mode=manual as well, the model then waits, and `promote` serves it once you have "
    "looked at it"
)
_DIGITS = 4
"""Significant digits of a bound: as many as the table of metrics shows."""


def loosen_thresholds(summary: Summary, config: Config) -> str:
    """Returns the value of `evaluation.thresholds` that this model just meets, as JSON.

    Only missed bounds change. Empty if the model missed anything but bounds on the whole split:
    bounds on slices are many, and a person should look at each.
    """
    overall = summary.metrics.get("", {})
    served, classes = summary.baseline_metrics, config.label.classes
    loosened = [_loosen(t, overall, served, classes) for t in config.evaluation.thresholds]
    if not summary.missed or sum(missed for _, missed in loosened) != len(summary.missed):
        return ""
    fields = [threshold.model_dump(mode="json", exclude_defaults=True) for threshold, _ in loosened]
    return json.dumps(fields, ensure_ascii=False)


def _loosen(
    threshold: Threshold,
    overall: Mapping[str, float],
    served: Mapping[str, float],
    classes: tuple[str, ...],
) -> tuple[Threshold, int]:
    """Returns the threshold that the metrics meet, and how many of its bounds they missed."""
    bounds: dict[str, Any] = {}
    missed = 0
    for class_name in () if threshold.slice_by else threshold.classes(classes):
        name = metric_name(threshold.metric, class_name)
        value = overall.get(name, math.nan)
        if threshold.at_least is not None and value < threshold.at_least:
            missed += 1
            bounds["at_least"] = min(bounds.get("at_least", math.inf), _round(value, up=False))
        if threshold.at_most is not None and value > threshold.at_most:
            missed += 1
            bounds["at_most"] = max(bounds.get("at_most", -math.inf), _round(value, up=True))
        fall = served.get(name, math.nan) - value
        fall = fall if METRICS[threshold.metric].higher_is_better else -fall
        if threshold.may_worsen_by is not None and fall > threshold.may_worsen_by:
            missed += 1
            largest = max(bounds.get("may_worsen_by", 0), _round(fall, up=True))
            bounds["may_worsen_by"] = largest
    return threshold.model_copy(update=bounds), missed


def _round(value: float, *, up: bool) -> float:
    """Returns the value with four significant digits, never on the wrong side of it."""
    if value == 0 or not math.isfinite(value):
        return value
    nearest = float(f"{value:.{_DIGITS}g}")
    if nearest == value or (nearest > value) is up:
        return nearest
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - _DIGITS)
    return float(f"{nearest + (unit if up else -unit):.{_DIGITS}g}")
