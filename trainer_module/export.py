"""Writes the SavedModel: Transform's graph and the network behind the signatures clients call.

- `serving_default`: each raw feature column under its own name, [batch, 1];
- `serving_examples`: `examples`, string [batch], serialized tf.Examples;
- `transform_label`: the raw label column, encoded for the Evaluator.

A missing value is NaN, MISSING_INT or MISSING_STRING in the first, an absent feature in the
second. The label is part of neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.core.missing_values import MISSING_FLOAT, MISSING_INT, MISSING_STRING
from trainer_module.encoding.label import encode_label
from trainer_module.fit.warm_start import variables_by_name
from trainer_module.heads import Head
from trainer_module.names import LABEL_KEY
from trainer_module.sections import Sections
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
    served = ServedModel(model, transform_output, head, sections)
    tf.saved_model.save(served, directory, served.signatures())
    by_name = {"serving_default": served.feature_types, "transform_label": served.label_type}
    rename_inputs(
        directory,
        {
            signature: {plain: column for column, plain in plain_names(columns).items()}
            for signature, columns in by_name.items()
        },
    )


class ServedModel(tf.Module):
    """The way from raw columns to predictions, and from the raw label to the encoded one."""

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
        # Of Keras objects, what they hold is enough: they themselves would take several times as
        # long to save, and leave graphs in the saved model that nobody calls.
        layer = transform_output.transform_features_layer()
        self._tables = layer._saved_model_loader_tracked_dict
        self._transform = layer.call
        # By name, so that a later training can start from them.
        self._weights = variables_by_name(model.weights)
        # A network of the user's own may hold Python that depends on tensors: autograph is for it.
        self._network = tf.function(partial(model, training=False))

    def signatures(self) -> dict[str, Any]:
        """The functions to save; those by name take plain names in the columns' place."""
        examples = tf.TensorSpec([None], tf.string, "examples")
        return {
            "serving_default": _by_plain_name(self.predict, self.feature_types),
            "serving_examples": tf.function(
                self.predict_examples, input_signature=[examples], autograph=False
            ),
            "transform_label": _by_plain_name(self.encode_label, self.label_type),
        }

    def predict(self, raw: Tensors) -> dict[str, tf.Tensor]:
        """From the raw columns, [batch, 1] each, to the head's predictions."""
        return self._head.predictions(self._network(self._transform(raw)))

    def predict_examples(self, serialized: tf.Tensor) -> dict[str, tf.Tensor]:
        """The same from serialized tf.Examples, string [batch]."""
        spec = {
            column: tf.io.FixedLenFeature([1], dtype, _DEFAULTS[dtype])
            for column, dtype in self.feature_types.items()
        }
        return self.predict(tf.io.parse_example(serialized, spec))

    def encode_label(self, raw: Tensors) -> dict[str, tf.Tensor]:
        """From the raw label, [batch, 1], to what the loss was taken of."""
        return {LABEL_KEY: encode_label(raw[self._label.column], self._label)}


def _by_plain_name(
    function: Callable[[Tensors], dict[str, tf.Tensor]], dtypes: Mapping[str, tf.DType]
) -> Any:
    plain = plain_names(dtypes)

    def called(inputs: Tensors) -> dict[str, tf.Tensor]:
        return function({column: inputs[plain[column]] for column in dtypes})

    spec = {
        plain[column]: tf.TensorSpec([None, 1], dtype, plain[column])
        for column, dtype in dtypes.items()
    }
    return tf.function(called, input_signature=[spec], autograph=False)
