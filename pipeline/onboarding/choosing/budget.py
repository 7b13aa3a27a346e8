"""Estimates how long the proposed training takes, so that nobody waits without knowing for what."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.core.text import counted
from pipeline.onboarding.choosing.sizing import Size, estimate_seconds

_ONE_CORE = 1.6
"""A network takes so many times as long on one core as on two (docs/quality.md, late and cuts)."""
_SECONDS_A_CELL = 1e-8
"""Seconds in which LightGBM finds a tree, by cell of the table."""
_TREES = 500
"""Trees after which early stopping ends most fits."""


@dataclass(frozen=True)
class Budget:
    """The seconds of the network's epochs, and of the trees."""

    network: float
    trees: float

    def describe(self, cores: int) -> str:
        """Returns the time in words."""
        minutes = counted(math.ceil((self.network + self.trees) / 60), "minute")
        where = "this core" if cores == 1 else f"these {cores} cores"
        return (
            f"network and trees train for about {minutes} at most on {where}, and stop sooner once "
            "the eval loss no longer falls"
        )


def estimate_budget(
    size: Size, train_rows: int, columns: int, classes: int, cores: int = 2
) -> Budget:
    """Returns the budget of a training.

    More than two cores are taken for two: how much they help a network of this size depends on the
    machine.

    Args:
      size: the proposed settings.
      train_rows: the rows of split train.
      columns: the number of features.
      classes: the number of classes; each of more than two has trees of its own.
      cores: the cores of this machine.
    """
    slower = _ONE_CORE if cores == 1 else 1.0
    steps = max(1, train_rows // size.global_batch_size.value)
    seen = size.epochs.value * steps * size.global_batch_size.value
    boosters = classes if classes > 2 else 1
    return Budget(
        network=estimate_seconds(size.network.value, seen, columns) * slower,
        trees=train_rows * columns * boosters * _TREES * _SECONDS_A_CELL,
    )
