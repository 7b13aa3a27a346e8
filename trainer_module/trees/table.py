"""Reads a split of the transformed examples as the one matrix that LightGBM takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.heads import Head
from trainer_module.input.examples import Examples
from trainer_module.input.row_weights import RowWeights
from trainer_module.names import LABEL_KEY, WEIGHT_KEY
from trainer_module.trees.inputs import TreeInputs

Rows = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Table:
    """The rows of a split."""

    rows: Rows
    """The columns of the trees, [rows, columns], one row after the other."""
    targets: npt.NDArray[np.float32]
    """What the trees fit, [rows]: see `Head.targets`."""
    weights: npt.NDArray[np.float32] | None
    """The weight of each row, [rows]; None if all rows count the same."""


def read_table(examples: Examples, inputs: TreeInputs, head: Head, weights: RowWeights) -> Table:
    """Returns the rows of a split whose label is known.

    Computes the columns with the function that the served model has, one row group at a time, so
    that the only copy of the whole split is the result.
    """
    compute = tf.function(inputs, autograph=False, reduce_retracing=True)
    rows = np.empty((examples.row_count, len(inputs.columns)), np.float32)
    labels: list[npt.NDArray[Any]] = []
    row_weights: list[npt.NDArray[np.float32]] = []
    end = 0
    for group in examples.row_groups:
        columns = examples.layout.views(examples.read((group,)))
        start, end = end, end + group.row_count
        label, weight = columns.pop(LABEL_KEY), columns.pop(WEIGHT_KEY, None)
        rows[start:end] = compute({n: tf.constant(v) for n, v in columns.items()}).numpy()
        labels.append(label[:, 0])
        weighed = weights.weigh_rows(tf.constant(np.maximum(label, 0)), weight)
        if weighed is not None:
            row_weights.append(np.asarray(weighed, np.float32)[:, 0])
    targets = np.concatenate(labels)
    # All labels of the training split are known: `make_head` has checked them.
    is_known = np.isfinite(targets) if targets.dtype.kind == "f" else targets >= 0
    known = slice(None) if is_known.all() else is_known
    all_weights = np.concatenate(row_weights)[known] if row_weights else None
    return Table(rows[known], head.targets(targets[known]).astype(np.float32), all_weights)
