"""Computes the output of a part for each row of a split."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.blend.model import make_part
from trainer_module.input.examples import Examples
from trainer_module.names import LABEL_KEY, WEIGHT_KEY

_MOST_ROWS = 8192
"""Rows of one call: row groups may be as large as a million rows, and a hidden layer is wider than
a row."""


def compute_outputs(model: Any, examples: Examples) -> npt.NDArray[np.float32]:
    """Returns the outputs of all rows, [rows, head.units].

    Args:
      model: a network or a TreesModel.
      examples: a split with the columns that the model reads.
    """
    # A user's own network may branch on tensors in Python, which needs autograph.
    compute = tf.function(make_part(model), reduce_retracing=True)
    outputs = []
    for group in examples.row_groups:
        columns = examples.layout.views(examples.read((group,)))
        names = columns.keys() - {LABEL_KEY, WEIGHT_KEY}
        for start in range(0, group.row_count, _MOST_ROWS):
            rows = slice(start, start + _MOST_ROWS)
            outputs.append(compute({n: tf.constant(columns[n][rows]) for n in names}).numpy())
    return np.concatenate(outputs)
