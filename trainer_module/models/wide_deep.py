"""`wide_deep`: a `dnn` and a `linear` network that learn together (Cheng et al. 2016).

The deep part finds what depends on several features at once; the wide part remembers what depends
on a single one, also for rare categories.
"""

from __future__ import annotations

import tensorflow as tf
import tf_keras

from pipeline.config import ModelConfig
from trainer_module.heads import Head
from trainer_module.models import dnn, linear
from trainer_module.models.inputs import Inputs


def scores(inputs: Inputs, head: Head, config: ModelConfig) -> tf.Tensor:
    deep = dnn.scores(inputs, head, config)
    return tf_keras.layers.Add()([deep, *linear.weights(inputs, head.units)])
