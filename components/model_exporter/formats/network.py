"""The network that is converted: the signature `network` of a model as a SavedModel of its own."""

from __future__ import annotations

import tensorflow as tf

from components.model_exporter.batches import Array, Batch
from pipeline.core.contracts import Signature


def extract_network(model: str, directory: str) -> None:
    """Saves the signature `network` of the SavedModel `model` alone, in `directory`.

    Converters read whole SavedModels, and fail on the operations on text around the network.

    Raises:
      KeyError: the model has no such signature.
    """
    loaded = tf.saved_model.load(model)
    signature = loaded.signatures[Signature.NETWORK]
    module = tf.Module()
    module.weights = list(signature.graph.variables)
    tf.saved_model.save(module, directory, {Signature.NETWORK: signature})


class SavedNetwork:
    """The SavedModel that `extract_network` wrote."""

    def __init__(self, directory: str) -> None:
        self._loaded = tf.saved_model.load(directory)
        self.function = self._loaded.signatures[Signature.NETWORK]
        specs = self.function.structured_input_signature[1]
        self.inputs: dict[str, tf.TensorSpec] = {name: specs[name] for name in sorted(specs)}
        [self.output] = self.function.structured_outputs
        """The name of the single output."""

    def predict(self, batch: Batch) -> Array:
        """Returns the predictions, float32 [rows] or [rows, classes]."""
        tensors = {name: tf.constant(batch[name], spec.dtype) for name, spec in self.inputs.items()}
        predictions: Array = self.function(**tensors)[self.output].numpy()
        return predictions
