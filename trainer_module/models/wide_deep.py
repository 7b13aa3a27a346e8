"""`wide_deep`: the sum of a `dnn` and a `linear` network, trained together (Cheng et al. 2016).

The deep part learns effects of several features at once. The wide part learns the effect of each
single feature, of rare categories too.
"""

from __future__ import annotations

import tensorflow as tf
import tf_keras

from pipeline.config import ModelConfig
from trainer_module.heads import Head
from trainer_module.models import dnn, linear
from trainer_module.models.inputs import Inputs


def scores(inputs: Inputs, head: Head, config: ModelConfig) -> tf.Tensor:
    """Returns the scores, [batch, head.units]: the deep scores plus the wide weights."""
    deep = dnn.scores(inputs, head, config)
    return tf_keras.layers.Add()([deep, *linear.weights(inputs, head.units)])
