"""The network: wide and deep.

The deep part sees every number and an embedding of every category; it finds what depends on
several features at once. The wide part gives each number and each category one weight of its
own; it remembers what depends on a single one, also for rare categories.
"""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.config import Features, ModelConfig
from trainer_module.features import count_ids, transformed_name
from trainer_module.heads import Head
from trainer_module.vocabulary_file import vocabulary_sizes

_WIDEST_EMBEDDING = 50


def build_model(
    features: Features, transform_output: tft.TFTransformOutput, head: Head, config: ModelConfig
) -> tf_keras.Model:
    """The untrained network from Transform's outputs to the head's output.

    Takes a dictionary by transformed name: float32 [batch, width] or int64 [batch, width] each.
    Gives float32 [batch, head.units].
    """
    spec = transform_output.transformed_feature_spec()
    vocabularies = vocabulary_sizes(transform_output)
    inputs, numbers, categories = {}, [], []
    for column, feature in features.items():
        name = transformed_name(column)
        # Keras names layers too: without the prefix, a column `dense` would get in its way.
        tensor = tf_keras.Input(spec[name].shape, dtype=spec[name].dtype, name=f"input__{name}")
        inputs[name] = tensor
        id_count = count_ids(feature, vocabularies[name])
        if id_count is None:
            numbers.append(tensor)
        else:
            categories.append(_Category(name, tensor, feature, id_count))
    scores = _deep_scores(numbers, categories, head, config)
    if config.wide:
        scores = tf_keras.layers.Add()([scores, *_wide_scores(numbers, categories, head.units)])
    # Whatever type the layers compute in, losses and clients get float32.
    scores = tf_keras.layers.Activation("linear", dtype="float32")(scores)
    return tf_keras.Model(inputs, head.output(scores))


def default_embedding_dimension(id_count: int) -> int:
    """Grows more slowly than the number of categories, up to 50."""
    return max(1, min(_WIDEST_EMBEDDING, round(1.6 * math.pow(id_count, 0.56))))


class _Category:
    """An input of ids, [batch, 1] for a category and [batch, max_tokens] for text."""

    def __init__(self, name: str, ids: tf.Tensor, feature: Any, id_count: int) -> None:
        self._name = name
        self._ids = ids
        self._is_text = feature.kind == "text"
        self._id_count = id_count
        self.dimension = feature.embedding_dimension or default_embedding_dimension(id_count)

    def embed(self, dimension: int, role: str, initializer: str = "uniform") -> tf.Tensor:
        """float32 [batch, dimension]: the id's vector, or the mean of the tokens' vectors."""
        vectors = tf_keras.layers.Embedding(
            self._id_count,
            dimension,
            embeddings_initializer=initializer,
            mask_zero=self._is_text,
            name=f"{role}__{self._name}",
        )(self._ids)
        return _MeanOfTokens()(vectors) if self._is_text else tf_keras.layers.Flatten()(vectors)


class _MeanOfTokens(tf_keras.layers.Layer):
    """The mean over what is not padding; zeros for a text without tokens."""

    def call(self, vectors: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        weights = tf.cast(mask, vectors.dtype)[:, :, tf.newaxis]
        return tf.math.divide_no_nan(
            tf.reduce_sum(vectors * weights, axis=1), tf.reduce_sum(weights, axis=1)
        )

    def compute_mask(self, vectors: tf.Tensor, mask: tf.Tensor = None) -> None:
        return None


def _deep_scores(
    numbers: list[tf.Tensor], categories: list[_Category], head: Head, config: ModelConfig
) -> tf.Tensor:
    embeddings = [category.embed(category.dimension, "embedding") for category in categories]
    hidden = _concatenate([*numbers, *embeddings])
    for width in config.hidden_units:
        hidden = tf_keras.layers.Dense(width, config.activation)(hidden)
        if config.dropout:
            hidden = tf_keras.layers.Dropout(config.dropout)(hidden)
    bias = tf_keras.initializers.Constant(head.bias)
    return tf_keras.layers.Dense(head.units, bias_initializer=bias, name="deep")(hidden)


def _wide_scores(
    numbers: list[tf.Tensor], categories: list[_Category], units: int
) -> list[tf.Tensor]:
    """One [batch, units] for each category and one for all numbers; they start as zeros."""
    scores = [category.embed(units, "weight", "zeros") for category in categories]
    if numbers:
        linear = tf_keras.layers.Dense(
            units, use_bias=False, kernel_initializer="zeros", name="wide"
        )
        scores.append(linear(_concatenate(numbers)))
    return scores


def _concatenate(tensors: list[tf.Tensor]) -> tf.Tensor:
    return tf_keras.layers.Concatenate()(tensors) if len(tensors) > 1 else tensors[0]
