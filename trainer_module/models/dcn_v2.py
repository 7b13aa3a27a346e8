"""`dcn_v2`: a deep & cross network (Wang et al. 2021).

Each cross layer multiplies the network's input by a linear map of the previous layer's output.
After n layers, the network can express products of up to n + 1 features. The hidden layers of a
`dnn` run in parallel to the cross layers.
"""

from __future__ import annotations

import tensorflow as tf
import tf_keras

from pipeline.config import ModelConfig
from trainer_module.heads import Head
from trainer_module.models import dnn
from trainer_module.models.inputs import Inputs, concatenate


def scores(inputs: Inputs, head: Head, config: ModelConfig) -> tf.Tensor:
    """Returns the scores, [batch, head.units], from the cross layers and the hidden layers."""
    first = crossed = inputs.together()
    for index in range(config.cross_layers):
        image = tf_keras.layers.Dense(first.shape[-1], name=f"cross_{index + 1}")(crossed)
        product = tf_keras.layers.Multiply()([first, image])
        crossed = tf_keras.layers.Add()([product, crossed])
    return dnn.output(concatenate([crossed, dnn.hidden(first, config)]), head)
