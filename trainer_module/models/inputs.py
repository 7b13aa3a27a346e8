"""Makes Keras inputs of the transformed features; every model family is built on these inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.config import Feature, Features
from pipeline.config.sections.features import default_embedding_dimension
from trainer_module.encoding.vocabulary_file import vocabulary_sizes
from trainer_module.models.ngram_sums import NGramInput
from trainer_module.models.piecewise import Edges, PiecewiseLinear, list_numbers
from trainer_module.names import (
    count_ids,
    has_ngrams,
    ngrams_name,
    tfidf_name,
    transformed_name,
)


class Category:
    """An input of ids: int64 [batch, 1] for a category, int64 [batch, max_tokens] for text."""

    def __init__(self, name: str, ids: tf.Tensor, feature: Feature, id_count: int) -> None:
        self._name = name
        self._ids = ids
        self._is_text = feature.kind == "text"
        self._id_count = id_count
        # `Feature` includes kinds of numbers, which have no such key but never become a Category.
        chosen: int | None = getattr(feature, "embedding_dimension", None)
        self.dimension = chosen or default_embedding_dimension(id_count)

    def embed(self, dimension: int, role: str, initializer: str = "uniform") -> tf.Tensor:
        """Returns the vector of the id, or the mean over the tokens, float32 [batch, dimension]."""
        vectors = tf_keras.layers.Embedding(
            self._id_count,
            dimension,
            embeddings_initializer=initializer,
            mask_zero=self._is_text,
            name=f"{role}__{self._name}",
        )(self._ids)
        return _MeanOfTokens()(vectors) if self._is_text else tf_keras.layers.Flatten()(vectors)


@dataclass(frozen=True)
class Inputs:
    """The features of a batch as Keras tensors: numbers are float32 [batch, width] each."""

    by_name: dict[str, tf.Tensor]
    """All inputs of the network, by transformed name."""
    numbers: list[tf.Tensor]
    categories: list[Category]
    encoded: list[tf.Tensor]
    """The piecewise-linear encoding of the numbers, float32 [batch, width] each."""
    ngrams: list[NGramInput] = field(default_factory=list)
    """The n-grams of texts. `build_model` adds up their weights, whatever the model family."""

    def together(self) -> tf.Tensor:
        """Returns numbers, encoded numbers and embeddings as one tensor, float32 [batch, width]."""
        embedded = [category.embed(category.dimension, "embedding") for category in self.categories]
        return concatenate([*self.numbers, *self.encoded, *embedded])


def make_inputs(
    features: Features, transform_output: tft.TFTransformOutput, edges: Mapping[str, Edges]
) -> Inputs:
    """Returns new inputs in the order of `features`.

    `edges` are the bin edges of the numbers to encode, by transformed name.
    """
    spec = transform_output.transformed_feature_spec()
    vocabularies = vocabulary_sizes(transform_output)
    inputs = Inputs({}, [], [], [])

    def add(name: str) -> tf.Tensor:
        # Without the prefix, a column `dense` would clash with the name Keras gives to a layer.
        tensor = tf_keras.Input(spec[name].shape, dtype=spec[name].dtype, name=f"input__{name}")
        inputs.by_name[name] = tensor
        return tensor

    for column, feature in features.items():
        name = transformed_name(column)
        tensor = add(name)
        id_count = count_ids(feature, vocabularies[name])
        if id_count is None:
            inputs.numbers.append(tensor)
        else:
            inputs.categories.append(Category(name, tensor, feature, id_count))
        if feature.kind == "text" and has_ngrams(feature):
            ids, tfidf = add(ngrams_name(column)), add(tfidf_name(column))
            inputs.ngrams.append(NGramInput(name, ids, tfidf, feature.tfidf_buckets))
    if edges:
        first = list_numbers(features)
        numbers = [inputs.by_name[name][:, first[name] : first[name] + 1] for name in edges]
        inputs.encoded.append(PiecewiseLinear(edges)(concatenate(numbers, "float32")))
    return inputs


def concatenate(tensors: Sequence[tf.Tensor], dtype: str | None = None) -> tf.Tensor:
    """Returns the tensors, [batch, width] each, side by side.

    Without a `dtype`, the result has the one of the precision in use.
    """
    layer = tf_keras.layers.Concatenate(dtype=dtype)
    return layer(tensors) if len(tensors) > 1 else tensors[0]


class _MeanOfTokens(tf_keras.layers.Layer):
    """Computes the mean over the tokens that are not padding; zeros for a text without tokens."""

    def call(self, vectors: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        weights = tf.cast(mask, vectors.dtype)[:, :, tf.newaxis]
        return tf.math.divide_no_nan(
            tf.reduce_sum(vectors * weights, axis=1), tf.reduce_sum(weights, axis=1)
        )

    def compute_mask(self, vectors: tf.Tensor, mask: tf.Tensor = None) -> None:
        return None
