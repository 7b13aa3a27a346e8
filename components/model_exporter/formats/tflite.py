"""TensorFlow Lite: converts with TensorFlow, runs with LiteRT, TensorFlow Lite's new name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from components.model_exporter.batches import Array, Batch
from pipeline.core.contracts import Signature
from pipeline.core.processes import available_cores


def convert(network: str, quantize: str, rows: Callable[[], Iterable[Batch]]) -> bytes:
    """Returns the network in `network`, a SavedModel, as a file of TensorFlow Lite.

    Args:
      network: what `extract_network` wrote.
      quantize: the key `quantize` of the export.
      rows: yields batches of one row; `int8` takes the ranges of activations from them.
    """
    converter = tf.lite.TFLiteConverter.from_saved_model(
        network, signature_keys=[Signature.NETWORK]
    )
    if quantize != "none":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if quantize == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if quantize == "int8":
        converter.representative_dataset = lambda: ((Signature.NETWORK, row) for row in rows())
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    file: bytes = converter.convert()
    return file


def load(path: str) -> Callable[[Batch], Array]:
    """Returns the function of a file: it takes transformed features, and returns predictions."""
    from ai_edge_litert.interpreter import Interpreter

    runner = Interpreter(path, num_threads=available_cores()).get_signature_runner(
        Signature.NETWORK
    )
    names = list(runner.get_input_details())
    [output] = runner.get_output_details()

    def predict(batch: Batch) -> Any:
        return runner(**{name: batch[name] for name in names})[output]

    return predict
