"""How much each feature contributes to the trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from trainer_module.trees.inputs import TreeColumn
from trainer_module.trees.library import lightgbm


def measure_importance(
    booster: lightgbm.Booster, columns: Sequence[TreeColumn]
) -> dict[str, dict[str, float]]:
    """Returns the importance of each feature of the table, the greatest first.

    `importance_by_gain` is the feature's share of the reduction of the training loss, and
    `importance_by_split` its share of all nodes. Both sum over the parts of a timestamp and the
    tokens of a text.
    """
    return {
        f"importance_by_{kind}": _sum_shares(booster.feature_importance(kind), columns)
        for kind in ("gain", "split")
    }


def _sum_shares(values: npt.NDArray[Any], columns: Sequence[TreeColumn]) -> dict[str, float]:
    total = float(values.sum()) or 1.0
    shares: dict[str, float] = {}
    for column, value in zip(columns, values.tolist(), strict=True):
        shares[column.feature] = shares.get(column.feature, 0.0) + value / total
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
