"""Finds how much each part of a blend counts: by greedy selection on the evaluation split.

Starting from nothing, each round adds the part, again if need be, whose addition makes the loss of
the mean prediction the lowest; a part's weight is its share of the rounds. See Caruana et al. 2004,
"Ensemble Selection from Libraries of Models".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.heads import Head, RegressionHead

_ROUNDS = 100
"""The weights are multiples of 1 / rounds, at the most."""

Numbers = npt.NDArray[np.float64]


def find_weights(
    outputs: Sequence[npt.NDArray[np.float32]],
    labels: npt.NDArray[Any],
    weights: npt.NDArray[np.float32] | None,
    head: Head,
) -> list[float]:
    """Returns a weight for each part; they sum to 1.

    Args:
      outputs: the head's outputs of each part, [rows, units].
      labels: the encoded labels, [rows].
      weights: the weights of the rows, [rows]; None if all rows count the same.
    """
    fits = np.stack([_measure_fit(each, labels, head) for each in outputs], axis=1)
    compute_loss = _squared_error if isinstance(head, RegressionHead) else _log_loss
    each = np.ones(len(labels)) if weights is None else weights.astype(np.float64)
    total = np.zeros(len(labels))
    counts = np.zeros(len(outputs), np.int64)
    best_loss, best_counts = np.inf, counts
    for chosen in range(1, _ROUNDS + 1):
        losses = each @ compute_loss((total[:, np.newaxis] + fits) / chosen)
        part = int(np.argmin(losses))
        total += fits[:, part]
        counts[part] += 1
        if losses[part] < best_loss:
            best_loss, best_counts = losses[part], counts.copy()
    return [float(count) for count in best_counts / best_counts.sum()]


def _measure_fit(output: npt.NDArray[np.float32], labels: npt.NDArray[Any], head: Head) -> Numbers:
    """Returns what may be averaged over the parts instead of whole predictions, [rows].

    This is the error for regression, and otherwise the probability of the row's own class.
    """
    if isinstance(head, RegressionHead):
        error: Numbers = labels.astype(np.float64) - output[:, 0]
        return error
    losses = head.loss(tf.constant(labels[:, np.newaxis]), tf.constant(output))
    return np.exp(-np.asarray(losses, np.float64))


def _squared_error(errors: Numbers) -> Numbers:
    return errors**2


def _log_loss(probabilities: Numbers) -> Numbers:
    # A part may be so sure of another class that float64 holds no probability of the row's own.
    least = np.finfo(np.float64).tiny
    loss: Numbers = -np.log(np.maximum(probabilities, least))
    return loss
