"""Finds how much each part of a blend counts, from the predictions for the evaluation split.

Greedy selection finds the weights: starting from nothing, each round adds the part, again if need
be, whose addition makes the loss of the mean prediction the lowest; a part's weight is its share of
the rounds. See Caruana et al. 2004, "Ensemble Selection from Libraries of Models".

A few rows can favour one part by chance. So the loss includes a normal prior of the weights around
equal weights: see Diebold and Pauly 1990, "The use of prior information in forecast combination".
The prior counts as much as a few rows. A part that is clearly worse loses its weight even with few
rows; with many rows, the prior no longer matters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.heads import Head, RegressionHead

_ROUNDS = 100
"""The weights are multiples of 1 / rounds, at the most."""
_PRIOR = 5.0
"""How much the prior counts: of two parts, each weight has the standard deviation 0.32 around 0.5.
docs/quality.md compares 2, 5 and 10, and other ways to choose weights."""
_LEAST_RATIO = 1e-12
"""The least variance, as a share of the largest one."""

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
    rows = np.ones(len(labels)) if weights is None else weights / weights.mean(dtype=np.float64)
    compute_loss: Callable[[Numbers], Numbers] = _log_loss
    if isinstance(head, RegressionHead):
        fits = _scale(fits, rows)
        compute_loss = _squared_error
    counts = np.zeros(len(outputs), np.int64)
    total = np.zeros(len(labels))
    best_loss, best_counts = np.inf, counts
    for chosen in range(1, _ROUNDS + 1):
        losses = rows @ compute_loss((total[:, np.newaxis] + fits) / chosen)
        losses += _weigh_prior((counts + np.eye(len(outputs))) / chosen)
        part = int(np.argmin(losses))
        total += fits[:, part]
        counts[part] += 1
        if losses[part] < best_loss:
            best_loss, best_counts = losses[part], counts.copy()
    return [float(count) for count in best_counts / best_counts.sum()]


def _weigh_prior(weights: Numbers) -> Numbers:
    """Returns the negative log density of the prior at some weights, [choices, parts]."""
    distances: Numbers = ((weights - 1 / weights.shape[1]) ** 2).sum(axis=1)
    return _PRIOR / 2 * distances


def _scale(errors: Numbers, rows: Numbers) -> Numbers:
    """Returns errors whose squares are negative log likelihoods, up to a constant.

    The variance is that of the best part.
    """
    variances = rows @ errors**2 / len(rows)
    # A part without any error would make all others infinitely bad.
    variance = max(variances.min(), _LEAST_RATIO * variances.max()) or 1.0
    scaled: Numbers = errors / np.sqrt(2 * variance)
    return scaled


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
