"""Reads a split of the transformed examples as the one matrix that LightGBM takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.heads import Head
from trainer_module.input.examples import Examples
from trainer_module.input.labels import read_labels
from trainer_module.input.row_weights import RowWeights
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
    end = 0
    for group in examples.row_groups:
        columns = examples.layout.views(examples.read((group,)))
        start, end = end, end + group.row_count
        rows[start:end] = compute({n: tf.constant(columns[n]) for n in inputs.names}).numpy()
    labelled = read_labels(examples, weights)
    # A copy only if it is needed: the rows are the largest part of the memory.
    known = rows if labelled.is_known.all() else rows[labelled.is_known]
    targets = head.targets(labelled.labels).astype(np.float32)
    return Table(known, targets, labelled.weights)
