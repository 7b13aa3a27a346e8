"""Gives LightGBM's metrics the names and units that the metrics of networks have."""

from __future__ import annotations

import math
from collections.abc import Mapping

from trainer_module.heads import Head, RegressionHead

_EVAL = "eval_"


def name_measures(measured: Mapping[str, float], head: Head) -> dict[str, float]:
    """Returns the measures of both splits by the project's names.

    `measured` holds LightGBM's metrics of the training split, and those of the evaluation split
    after `eval_`. LightGBM fits standardized labels, so RMSE and MAE are scaled back.
    """
    deviation = head.deviation if isinstance(head, RegressionHead) else 1.0
    named: dict[str, float] = {}
    for key, value in measured.items():
        prefix = _EVAL if key.startswith(_EVAL) else ""
        for name, renamed in _rename(key.removeprefix(_EVAL), value, deviation).items():
            named[prefix + name] = renamed
    return named


def _rename(metric: str, value: float, deviation: float) -> dict[str, float]:
    if metric == "l2":
        return {"loss": value, "rmse": math.sqrt(value) * deviation}
    if metric == "rmse":
        # After `l2`: it replaces the root of a weighted loss.
        return {"rmse": value * deviation}
    if metric == "l1":
        return {"mae": value * deviation}
    if metric in ("binary_error", "multi_error"):
        return {"accuracy": 1 - value}
    return {"auc" if metric == "auc" else "loss": value}
