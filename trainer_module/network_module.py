"""The network alone, from the transformed features to the predictions that are numbers.

A served model also holds Transform's graph and the names of classes. Converters to ONNX and
TensorFlow Lite take neither.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import tensorflow as tf
import tf_keras

from pipeline.core.contracts import Signature
from trainer_module.fit.warm_start import variables_by_name
from trainer_module.heads import Head


def make_network_signature(network: tf_keras.Model, head: Head) -> Any:
    """Returns the signature `network` as a tf.function.

    The function takes the transformed features by name, float32 or int64 [batch, width], and
    returns the head's predictions but texts: float32 [batch] or [batch, classes].
    """
    call = tf.function(partial(network, training=False))

    def predict(transformed: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        predictions = head.predictions(call(transformed))
        return {name: value for name, value in predictions.items() if value.dtype.is_floating}

    spec = {
        name: tf.TensorSpec(tensor.shape, tensor.dtype, name)
        for name, tensor in network.input.items()
    }
    return tf.function(predict, input_signature=[spec], autograph=False)


def save_network(directory: str, network: tf_keras.Model, head: Head) -> None:
    """Saves the network with the signature `network` alone, as a SavedModel in `directory`."""
    module = tf.Module()
    module.weights = variables_by_name(network.weights)
    signature = make_network_signature(network, head)
    tf.saved_model.save(module, directory, {Signature.NETWORK: signature})
