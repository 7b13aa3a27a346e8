"""Exports the model as TFX's templates do: with signatures that take serialized tf.Examples.

Signatures and outputs have the names of `trainer_module.export`, so that one EvalConfig fits both.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tensorflow_transform as tft

from benchmarks.stock.preprocessing import fill_missing
from pipeline.core.contracts import Signature
from trainer_module.encoding.label import encode_label
from trainer_module.heads import Head
from trainer_module.names import LABEL_KEY


def export_stock_model(
    directory: str, model: Any, transform_output: tft.TFTransformOutput, head: Head, label: Any
) -> None:
    """Saves the network with Transform's graph before it."""
    spec = transform_output.raw_feature_spec()
    label_spec = {label.column: spec.pop(label.column)}
    model.tft_layer = transform_output.transform_features_layer()

    def predict(examples: tf.Tensor) -> dict[str, tf.Tensor]:
        features = model.tft_layer(tf.io.parse_example(examples, spec))
        return head.predictions(model(features))

    def transform_label(examples: tf.Tensor) -> dict[str, tf.Tensor]:
        parsed = tf.io.parse_example(examples, label_spec)
        return {LABEL_KEY: encode_label(fill_missing(parsed[label.column]), label)}

    signatures = {
        name: tf.function(function, input_signature=[tf.TensorSpec([None], tf.string, "examples")])
        for name, function in (
            (Signature.SERVING_DEFAULT, predict),
            (Signature.TRANSFORM_LABEL, transform_label),
        )
    }
    model.save(directory, save_format="tf", signatures=signatures)
