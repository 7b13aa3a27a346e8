"""Keeps the training of a large table within 1.1 times the seconds of the network alone.

A network sees a bounded number of rows, in fewer epochs, and each tree sees all of them. So on
many rows, the trees would take longer than the network. Fewer trees that correct more take their
place; and where there would be too few of them, the network has fewer epochs.
"""

from __future__ import annotations

import math
from dataclasses import replace

from pipeline.config.sections.families.trees import TreesConfig
from pipeline.onboarding.choosing.budget import Load, estimate_budget, estimate_iteration
from pipeline.onboarding.choosing.sizing import MANY_ROWS, Size
from pipeline.onboarding.guess import Guess

_LIMIT = 1.1
"""All seconds, in those of the network alone."""
_USUAL_EPOCHS = 0.4
"""The share of its epochs after which a network ends early: after 18 of 47 on arrivals
(docs/quality.md)."""
_FEWEST_EPOCHS = 2 / 3
"""The share of the epochs that the network keeps at least."""
_WANTED = 60
"""Iterations for which the network gives epochs away. With the largest learning rate, they learn
nearly half of what many trees learn."""
_FEWEST = 20
"""Iterations without which there are no trees: they learn a seventh of what many learn."""
_LEARNED = 40.0
"""Learning rate times iterations. On arrivals, 226 iterations reached an eval loss of 0.4001 with
40, and of 0.4042 with 25; 819 of the default rate 0.05 reached 0.3984 (docs/quality.md)."""
_MOST = 2_000
"""Iterations where early stopping is expected to end a fit after some 500."""
_FASTEST = 0.3
"""The largest learning rate. Trees with larger ones are known to generalise worse."""


def limit_trees(size: Size, train_rows: int, load: Load, outputs: int) -> Size:
    """Returns the size with as many trees as the time allows; a network alone if it allows few.

    Args:
      size: the proposal of `guess_size`.
      train_rows: the rows of split train.
      load: how much the models read.
      outputs: the numbers that the model computes for a row; each has trees of its own.
    """
    if train_rows <= MANY_ROWS:
        return size
    alone = estimate_budget(size, train_rows, load, outputs).network
    iteration = estimate_iteration(train_rows, load, outputs) / _USUAL_EPOCHS
    shorter = _shorten(size, _LIMIT - _WANTED * iteration / alone)
    network = estimate_budget(shorter, train_rows, load, outputs).network
    iterations = int((_LIMIT * alone - network) / iteration)
    if iterations < _FEWEST:
        why = "trees for so many rows, columns or classes would take too long"
        return replace(size, family=Guess(size.network.value, why))
    if iterations * TreesConfig().learning_rate >= _LEARNED:
        return replace(size, tree_iterations=Guess(_MOST, "at most: each sees all rows"))
    rate = min(_FASTEST, round(_LEARNED / iterations, 2))
    return replace(
        shorter,
        tree_iterations=Guess(
            iterations, "the time for trees on so many rows is limited: docs/quality.md"
        ),
        tree_learning_rate=Guess(rate, "large, since there are few iterations"),
    )


def _shorten(size: Size, share: float) -> Size:
    """Returns the size with about this share of the epochs, at least `_FEWEST_EPOCHS`."""
    all_epochs = size.epochs.value
    epochs = max(int(all_epochs * share), math.ceil(all_epochs * _FEWEST_EPOCHS))
    if epochs >= all_epochs:
        return size
    why = "at most; fewer than for a network alone, so that time is left for trees"
    return replace(size, epochs=Guess(epochs, why))
