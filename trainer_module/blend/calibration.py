"""Corrects a part of a blend that is too sure of its classes, or not sure enough.

Temperature scaling (Guo et al. 2017, "On Calibration of Modern Neural Networks") divides the logits
by one number. It changes no order of the rows or classes. A blend weighs probabilities, so a part
that exaggerates would count for more than it knows.

The temperature is found on the evaluation split, like the weights. So it stays 1, unless the rows
are clear about it: the gain must exceed what one free number gains by chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf
from scipy.optimize import minimize_scalar

from trainer_module.heads import Head, RegressionHead

_LEAST_GAIN = 3.32
"""Gain of the log likelihood, in one of a hundred tables by chance: half of the 99 % quantile of
chi-squared with one degree of freedom."""
_MOST_LOG = np.log(10.0)
"""Temperatures from a tenth to ten: beyond, a part knows nothing, and its weight says so."""
_PRECISION = 1e-3
"""Of the logarithm of the temperature."""


def find_temperature(
    output: npt.NDArray[np.float32],
    labels: npt.NDArray[Any],
    weights: npt.NDArray[np.float32] | None,
    head: Head,
) -> float:
    """Returns what the output is to be divided by; 1 if that does not clearly help.

    The output of a regression is a number without a spread, so there is nothing to correct.

    Args:
      output: the head's output of a part, [rows, units].
      labels: the encoded labels, [rows].
      weights: the weights of the rows, [rows]; None if all rows count the same.
    """
    if isinstance(head, RegressionHead):
        return 1.0
    rows = np.ones(len(labels)) if weights is None else weights / weights.mean(dtype=np.float64)
    targets, logits = tf.constant(labels[:, np.newaxis]), tf.constant(output)

    def measure(log_temperature: float) -> float:
        scaled = logits * float(np.exp(-log_temperature))
        return float(rows @ np.asarray(head.loss(targets, scaled), np.float64))

    found = minimize_scalar(
        measure, bounds=(-_MOST_LOG, _MOST_LOG), method="bounded", options={"xatol": _PRECISION}
    )
    return float(np.exp(found.x)) if measure(0.0) - found.fun > _LEAST_GAIN else 1.0
