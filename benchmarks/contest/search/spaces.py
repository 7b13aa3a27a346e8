"""The settings among which a random search draws.

The ranges contain the values that each library's guide to tuning names. The first trial of a search
has the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Range:
    """A range of numbers, both ends included."""

    low: float
    high: float
    is_log: bool = False
    """Whether a number and its double are as likely at the low as at the high end."""
    is_whole: bool = False

    def draw(self, generator: np.random.Generator) -> float:
        """Returns a random number of the range."""
        ends = (np.log(self.low), np.log(self.high)) if self.is_log else (self.low, self.high)
        drawn = generator.uniform(*ends)
        number = float(np.exp(drawn) if self.is_log else drawn)
        return round(number) if self.is_whole else number


Space = Mapping[str, Range]

LIGHTGBM: Space = {
    "learning_rate": Range(0.01, 0.2, is_log=True),
    "num_leaves": Range(7, 255, is_log=True, is_whole=True),
    "min_child_samples": Range(5, 200, is_log=True, is_whole=True),
    "colsample_bytree": Range(0.4, 1),
    "subsample": Range(0.5, 1),
    "subsample_freq": Range(1, 1, is_whole=True),
    "reg_lambda": Range(1e-3, 30, is_log=True),
    "cat_smooth": Range(1, 100, is_log=True),
}
CATBOOST: Space = {
    "learning_rate": Range(0.02, 0.3, is_log=True),
    "depth": Range(4, 10, is_whole=True),
    "l2_leaf_reg": Range(1, 30, is_log=True),
    "random_strength": Range(0.1, 10, is_log=True),
    "bagging_temperature": Range(0, 1),
    "min_data_in_leaf": Range(1, 100, is_log=True, is_whole=True),
}


def draw_settings(space: Space, generator: np.random.Generator) -> dict[str, float]:
    """Returns a random value for each setting."""
    return {name: each.draw(generator) for name, each in space.items()}
