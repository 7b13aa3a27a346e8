"""Writes the SavedModel: Transform's graph and the network behind the signatures clients call.

- `serving_default`: each raw feature column under its own name, [batch, 1];
- `serving_examples`: `examples`, string [batch], serialized tf.Examples;
- `transform_label`: the raw label column, encoded for the Evaluator.

A missing value is NaN, MISSING_INT or MISSING_STRING in the first, an absent feature in the
second. The label is part of neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.config.missing import MISSING_FLOAT, MISSING_INT, MISSING_STRING
from trainer_module.features import LABEL_KEY, Sections
from trainer_module.heads import Head
from trainer_module.labels import encode_label
from trainer_module.signatures import plain_names, rename_inputs

Tensors = Mapping[str, tf.Tensor]

_DEFAULTS = {tf.float32: MISSING_FLOAT, tf.int64: MISSING_INT, tf.string: MISSING_STRING}


def export_model(
    directory: str,
    model: tf_keras.Model,
    transform_output: tft.TFTransformOutput,
    head: Head,
    sections: Sections,
) -> None:
    """Writes the network with the graph of `transform_output` before it to `directory`."""
    spec = transform_output.raw_feature_spec()
    features = {column: spec[column].dtype for column in sections.features}
    label = sections.label
    transform = transform_output.transform_features_layer()

    def predict(raw: Tensors) -> dict[str, tf.Tensor]:
        return head.predictions(model(transform(raw), training=False))

    def predict_examples(serialized: tf.Tensor) -> dict[str, tf.Tensor]:
        absent = {
            column: tf.io.FixedLenFeature([1], dtype, _DEFAULTS[dtype])
            for column, dtype in features.items()
        }
        return predict(tf.io.parse_example(serialized, absent))

    def transform_label(raw: Tensors) -> dict[str, tf.Tensor]:
        return {LABEL_KEY: encode_label(raw[label.column], label)}

    module = tf.Module()
    module.parts = (model.weights, transform)  # What the module does not own is not saved.
    examples = tf.TensorSpec([None], tf.string, "examples")
    signatures = {
        "serving_default": _by_name(predict, features),
        "serving_examples": tf.function(
            predict_examples, input_signature=[examples], autograph=False
        ),
        "transform_label": _by_name(transform_label, {label.column: spec[label.column].dtype}),
    }
    tf.saved_model.save(module, directory, signatures)
    rename_inputs(
        directory,
        {
            "serving_default": {p: c for c, p in plain_names(features).items()},
            "transform_label": {p: c for c, p in plain_names([label.column]).items()},
        },
    )


def _by_name(
    function: Callable[[Tensors], dict[str, tf.Tensor]], dtypes: Mapping[str, tf.DType]
) -> Any:
    """A signature with one input a column, still under its plain name."""
    plain = plain_names(dtypes)

    def called(inputs: Tensors) -> dict[str, tf.Tensor]:
        return function({column: inputs[plain[column]] for column in dtypes})

    spec = {
        plain[column]: tf.TensorSpec([None, 1], dtype, plain[column])
        for column, dtype in dtypes.items()
    }
    return tf.function(called, input_signature=[spec], autograph=False)
