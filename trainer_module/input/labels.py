"""The labels and the weights of a split's rows, for what reads the split as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.input.examples import Examples
from trainer_module.input.row_weights import RowWeights
from trainer_module.names import WEIGHT_KEY


@dataclass(frozen=True)
class LabelledRows:
    """The rows of a split whose label is known: all rows of the training split."""

    is_known: npt.NDArray[np.bool_]
    """Of each row of the split, [rows]."""
    labels: npt.NDArray[Any]
    """The encoded label of each known row, [known rows]."""
    weights: npt.NDArray[np.float32] | None
    """The weight of each known row, [known rows]; None if all rows count the same."""


def read_labels(examples: Examples, weights: RowWeights) -> LabelledRows:
    """Reads the labels of a split, and its weight column if there is one."""
    labels: npt.NDArray[Any] = examples.labels
    is_known = np.isfinite(labels) if labels.dtype.kind == "f" else labels >= 0
    known = labels[is_known]
    column = examples.column(WEIGHT_KEY)[is_known] if WEIGHT_KEY in examples.spec else None
    weighed = weights.weigh_rows(
        tf.constant(known[:, np.newaxis]),
        None if column is None else tf.constant(column[:, np.newaxis]),
    )
    flat = None if weighed is None else np.asarray(weighed, np.float32)[:, 0]
    return LabelledRows(is_known, known, flat)
