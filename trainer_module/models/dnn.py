"""`dnn`: dense layers over all numbers and the embeddings of all categories.

This family learns effects that depend on several features at once.
"""

from __future__ import annotations

import tensorflow as tf
import tf_keras

from pipeline.config import ModelConfig
from trainer_module.heads import Head
from trainer_module.models.dropout import Dropout
from trainer_module.models.inputs import Inputs


def scores(inputs: Inputs, head: Head, config: ModelConfig) -> tf.Tensor:
    """Returns the scores, [batch, head.units]."""
    return output(hidden(inputs.together(), config), head)


def hidden(tensor: tf.Tensor, config: ModelConfig) -> tf.Tensor:
    """Returns the output of the hidden layers, [batch, last width]."""
    for width in config.hidden_units:
        tensor = tf_keras.layers.Dense(width, config.activation)(tensor)
        if config.dropout:
            tensor = Dropout(config.dropout)(tensor)
    return tensor


def output(tensor: tf.Tensor, head: Head) -> tf.Tensor:
    """Returns the last layer's output, [batch, head.units]; its bias starts as the head's."""
    bias = tf_keras.initializers.Constant(head.bias)
    return tf_keras.layers.Dense(head.units, bias_initializer=bias, name="deep")(tensor)
