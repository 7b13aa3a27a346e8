"""Computes the output of a part for each row of a split."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.batch_parts import USUAL_ROWS, bound_memory
from trainer_module.blend.model import make_part
from trainer_module.input.examples import Examples
from trainer_module.names import LABEL_KEY, WEIGHT_KEY


def compute_outputs(model: Any, examples: Examples, width: int) -> npt.NDArray[np.float32]:
    """Returns the outputs of all rows, [rows, width].

    Args:
      model: a network or a TreesModel.
      examples: a split with the columns that the model reads.
      width: the outputs of a row, `head.units`.
    """
    # A user's own network may branch on tensors in Python, which needs autograph.
    compute = tf.function(bound_memory(make_part(model), width), reduce_retracing=True)
    outputs = []
    for group in examples.row_groups:
        columns = examples.layout.views(examples.read((group,)))
        names = columns.keys() - {LABEL_KEY, WEIGHT_KEY}
        # A row group may have a million rows, and the inputs of trees are as wide as those of a
        # network.
        for start in range(0, group.row_count, USUAL_ROWS):
            rows = slice(start, start + USUAL_ROWS)
            outputs.append(compute({n: tf.constant(columns[n][rows]) for n in names}).numpy())
    return np.concatenate(outputs)
