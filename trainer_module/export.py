"""Writes the SavedModel: Transform's graph and the model, behind four signatures.

- `serving_default` takes each raw feature column under its own name, [batch, 1]. NaN, MISSING_INT
  and MISSING_STRING stand for a missing value.
- `serving_examples` takes `examples`, string [batch], serialized tf.Examples. An absent feature
  is a missing value.
- `transform_label` takes the raw label column and returns the encoded label, for the Evaluator.
- `network` takes the transformed features and returns the predictions that are numbers. Converters
  to ONNX and TensorFlow Lite start from it: they know none of the operations on text before it.
  Models with boosted trees lack it, since no converter takes them.

The two serving signatures do not take the label.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.core.contracts import (
    MISSING_FLOAT,
    MISSING_INT,
    MISSING_STRING,
    TIMES_FILE,
    Signature,
)
from trainer_module.batch_parts import bound_memory
from trainer_module.encoding.label import encode_label
from trainer_module.fit.warm_start import variables_by_name
from trainer_module.heads import Head
from trainer_module.names import LABEL_KEY
from trainer_module.network_module import make_network_signature
from trainer_module.sections import Sections
from trainer_module.signatures import by_plain_name, plain_names, rename_inputs

Tensors = Mapping[str, tf.Tensor]

_DEFAULTS = {tf.float32: MISSING_FLOAT, tf.int64: MISSING_INT, tf.string: MISSING_STRING}


def export_model(
    directory: str,
    model: tf_keras.Model,
    transform_output: tft.TFTransformOutput,
    head: Head,
    sections: Sections,
) -> None:
    """Saves Transform's graph, followed by the network, as a SavedModel in `directory`."""
    served = ServedModel(model, transform_output, head, sections)
    tf.saved_model.save(served, directory, served.signatures())
    by_name = {
        Signature.SERVING_DEFAULT: served.feature_types,
        Signature.TRANSFORM_LABEL: served.label_type,
    }
    rename_inputs(
        directory,
        {
            signature: {plain: column for column, plain in plain_names(columns).items()}
            for signature, columns in by_name.items()
        },
    )
    _write_times(directory, sections)


def _write_times(directory: str, sections: Sections) -> None:
    """Writes how times are written, for the server: the graph tells no client of a wrong format."""
    times = {
        column: {"format": feature.format, "zone": feature.zone}
        for column, feature in sections.features.items()
        if feature.kind == "timestamp"
    }
    path = os.path.join(directory, TIMES_FILE)
    tf.io.gfile.makedirs(os.path.dirname(path))
    with tf.io.gfile.GFile(path, "w") as file:
        file.write(json.dumps(times, ensure_ascii=False))


class ServedModel(tf.Module):
    """Computes predictions from raw columns, and the encoded label from the raw label."""

    def __init__(
        self,
        model: tf_keras.Model,
        transform_output: tft.TFTransformOutput,
        head: Head,
        sections: Sections,
    ) -> None:
        super().__init__()
        spec = transform_output.raw_feature_spec()
        self.feature_types = {column: spec[column].dtype for column in sections.features}
        self.label_type = {sections.label.column: spec[sections.label.column].dtype}
        self._label = sections.label
        self._head = head
        # Keep the variables and functions of the Keras objects, not the objects: saving the objects
        # takes several times as long and adds graphs to the SavedModel that nobody calls.
        layer = transform_output.transform_features_layer()
        self._tables = layer._saved_model_loader_tracked_dict
        self._transform = layer.call
        # The names let a later training start from these weights: see `warm_start`.
        self._weights = variables_by_name(model.weights)
        # A user's own network may branch on tensors in Python, which needs autograph.
        self._network = tf.function(bound_memory(model, head.units))
        is_network = isinstance(model, tf_keras.Model)
        self._network_signature = make_network_signature(model, head) if is_network else None

    def signatures(self) -> dict[str, Any]:
        """Returns the functions to save, by signature name.

        `serving_default` and `transform_label` take plain input names until `rename_inputs` puts
        the columns' names in.
        """
        examples = tf.TensorSpec([None], tf.string, "examples")
        return {
            Signature.SERVING_DEFAULT: by_plain_name(self.predict, self.feature_types),
            Signature.SERVING_EXAMPLES: tf.function(
                self.predict_examples, input_signature=[examples], autograph=False
            ),
            Signature.TRANSFORM_LABEL: by_plain_name(self.encode_label, self.label_type),
            **({Signature.NETWORK: self._network_signature} if self._network_signature else {}),
        }

    def predict(self, raw: Tensors) -> dict[str, tf.Tensor]:
        """Returns the head's predictions for raw columns, [batch, 1] each."""
        return self._head.predictions(self._network(self._transform(raw)))

    def predict_examples(self, serialized: tf.Tensor) -> dict[str, tf.Tensor]:
        """Returns the head's predictions for serialized tf.Examples, string [batch]."""
        spec = {
            column: tf.io.FixedLenFeature([1], dtype, _DEFAULTS[dtype])
            for column, dtype in self.feature_types.items()
        }
        return self.predict(tf.io.parse_example(serialized, spec))

    def encode_label(self, raw: Tensors) -> dict[str, tf.Tensor]:
        """Returns the label as the loss takes it, [batch, 1], from the raw label, [batch, 1]."""
        return {LABEL_KEY: encode_label(raw[self._label.column], self._label)}
