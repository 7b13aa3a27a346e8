"""The trained parts in the place of one network: their weighted mean prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
import tf_keras

from trainer_module.heads import Head
from trainer_module.trees.model import TreesModel

Transformed = Mapping[str, tf.Tensor]


class _NetworkPart(tf.Module):
    """A network that is given Transform's outputs, also those that only other parts read.

    Keras would warn about these.
    """

    def __init__(self, network: tf_keras.Model) -> None:
        super().__init__()
        self._network = network
        self._names = list(network.input)

    def __call__(self, transformed: Transformed, training: bool = False) -> tf.Tensor:
        """Returns the network's output."""
        own = {name: transformed[name] for name in self._names}
        return self._network(own, training=training)


def make_part(model: tf_keras.Model | TreesModel) -> _NetworkPart | TreesModel:
    """Returns the module that computes the output of a part from Transform's outputs."""
    return _NetworkPart(model) if isinstance(model, tf_keras.Model) else model


@dataclass(frozen=True)
class WeightedPart:
    """A part of a blend, and its share of the prediction."""

    model: Any
    """A network or a TreesModel."""
    weight: float
    """Above 0; the weights of all parts sum to 1."""
    temperature: float = 1.0
    """What the part's output is divided by: see `calibration`."""


class BlendModel(tf.Module):
    """Computes the head's output of a batch, float32 [batch, head.units]."""

    def __init__(self, parts: Sequence[WeightedPart], head: Head) -> None:
        super().__init__()
        self._head = head
        self._models = [part.model for part in parts]
        self._parts = [make_part(part.model) for part in parts]
        self._scales = [1 / part.temperature for part in parts]
        self._shares = [part.weight for part in parts]

    @property
    def weights(self) -> Sequence[tf.Variable]:
        """The weights of the networks and the tables of the trees, one part after the other."""
        return [variable for model in self._models for variable in model.weights]

    def __call__(self, transformed: Transformed, training: bool = False) -> tf.Tensor:
        """Returns the output for Transform's outputs by name."""
        scaled = zip(self._parts, self._scales, strict=True)
        outputs = tf.stack([part(transformed) * scale for part, scale in scaled], axis=1)
        return self._head.combine_members(outputs, self._shares)
