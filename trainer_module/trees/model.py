"""The trained trees in the place of a network: from Transform's outputs to the head's output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tensorflow as tf

from trainer_module.heads import Head
from trainer_module.trees.inputs import TreeInputs
from trainer_module.trees.scoring.forest import Forest
from trainer_module.trees.scoring.scorer import ForestScorer


class TreesModel(tf.Module):
    """Computes the head's output of a batch, float32 [batch, head.units]."""

    def __init__(self, inputs: TreeInputs, forest: Forest, head: Head) -> None:
        super().__init__()
        self._inputs = inputs
        self._head = head
        self._scorer = ForestScorer(forest)

    @property
    def weights(self) -> Sequence[tf.Variable]:
        """The tables of the trees."""
        tables: Sequence[tf.Variable] = self._scorer.variables
        return tables

    def __call__(self, transformed: Mapping[str, tf.Tensor], training: bool = False) -> tf.Tensor:
        """Returns the output for Transform's outputs by name."""
        return self._head.output(self._scorer(self._inputs(transformed)))
