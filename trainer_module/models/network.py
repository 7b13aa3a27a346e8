"""From the configuration to a network: its family, between the inputs and the task's head."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.config import ConfigError, Features, ModelConfig
from trainer_module.heads import Head
from trainer_module.models import dcn_v2, dnn, linear, wide_deep
from trainer_module.models.inputs import Inputs, make_inputs

Scores = Callable[[Inputs, Head, ModelConfig], tf.Tensor]
"""A family: from the inputs to scores, [batch, head.units], before the head's own scale."""

_FAMILIES: Mapping[str, Scores] = {
    "linear": linear.scores,
    "dnn": dnn.scores,
    "wide_deep": wide_deep.scores,
    "dcn_v2": dcn_v2.scores,
}


def build_model(
    features: Features, transform_output: tft.TFTransformOutput, head: Head, config: ModelConfig
) -> tf_keras.Model:
    """The untrained network from Transform's outputs to the head's output.

    Takes a dictionary by transformed name: float32 [batch, width] or int64 [batch, width] each.
    Gives float32 [batch, head.units].

    Raises:
      ConfigError: `model.family` names a function that is not there, or gives another shape.
    """
    inputs = make_inputs(features, transform_output)
    family = _FAMILIES.get(config.family) or _own_family(config.family)
    scores = family(inputs, head, config)
    if tuple(scores.shape) != (None, head.units):
        raise ConfigError(
            f"model.family: {config.family} gives scores of shape {tuple(scores.shape)}, "
            f"not (None, {head.units})"
        )
    # Whatever type the layers compute in, losses and clients get float32.
    scores = tf_keras.layers.Activation("linear", dtype="float32")(scores)
    return tf_keras.Model(inputs.by_name, head.output(scores))


def _own_family(path: str) -> Scores:
    module, _, name = path.rpartition(".")
    try:
        family: Scores = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"model.family: there is no function {path} ({error})",
            f"take one of {', '.join(_FAMILIES)}, or install the package that holds it",
        ) from error
    return family
