"""Transform's graph alone, as a SavedModel: what runs before an exported network.

The exported network takes transformed features. Whoever runs it joins the two: raw columns through
this SavedModel, its outputs through the network. Operations on text stay in TensorFlow that way.
"""

from __future__ import annotations

from collections.abc import Mapping

import tensorflow as tf
import tensorflow_transform as tft

from pipeline.config import Features
from pipeline.core.contracts import Signature
from trainer_module.names import network_names
from trainer_module.signatures import by_plain_name, plain_names, rename_inputs


def save_transform(
    directory: str, transform_output: tft.TFTransformOutput, features: Features
) -> None:
    """Saves the signature `transform_features` in `directory`.

    The signature takes each raw feature column under its own name, [batch, 1], with the same values
    for missing cells as `serving_default`. It returns the inputs of the network by transformed
    name, float32 or int64 [batch, width] each.
    """
    layer = transform_output.transform_features_layer()
    spec = transform_output.raw_feature_spec()
    types = {column: spec[column].dtype for column in features}

    def transform(raw: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        transformed = layer.call(raw)
        return {name: transformed[name] for name in network_names(features)}

    module = tf.Module()
    # The tables of vocabularies are saved because the module holds them.
    module.tables = layer._saved_model_loader_tracked_dict
    signature = Signature.TRANSFORM_FEATURES
    tf.saved_model.save(module, directory, {signature: by_plain_name(transform, types)})
    names = {plain: column for column, plain in plain_names(types).items()}
    rename_inputs(directory, {signature: names})
