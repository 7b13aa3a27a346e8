"""The wide part of texts: the sum of a weight for each n-gram, by its TF-IDF weight.

Each n-gram has a weight of its own, as in a logistic regression on TF-IDF, which is hard to beat on
short texts and on few rows. Every model family has this part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tensorflow as tf
import tf_keras

_PREFIX = "ngrams__"


@dataclass(frozen=True)
class NGramInput:
    """The n-grams of a text feature."""

    name: str
    """The name of the transformed feature."""
    ids: tf.Tensor
    """int64 [batch, max_ngrams], 0 for padding."""
    tfidf: tf.Tensor
    """float32 [batch, max_ngrams]"""
    buckets: int


def add_ngram_sums(scores: tf.Tensor, ngrams: Sequence[NGramInput]) -> tf.Tensor:
    """Returns the scores, [batch, units] or [batch, members, units], plus the sums of all texts."""
    if not ngrams:
        return scores
    units = scores.shape[-1]
    sums = [
        NGramSum(text.buckets, units, name=f"{_PREFIX}{text.name}")([text.ids, text.tfidf])
        for text in ngrams
    ]
    if len(scores.shape) > 2:  # All members of an ensemble share the sums.
        sums = [tf_keras.layers.Reshape([1, units], dtype="float32")(one) for one in sums]
    return tf_keras.layers.Add(dtype="float32")([scores, *sums])


def is_ngram_weight(weight: tf.Variable) -> bool:
    """Whether a weight belongs to this part, and not to the network of a model family."""
    return bool(weight.name.startswith(_PREFIX))


class NGramSum(tf_keras.layers.Layer):
    """Sums the weights of n-grams: from ids and TF-IDF weights to [batch, units].

    The weights start as zeros. All is computed in float32: scores are not rounded to fewer bits.
    """

    _SPEED = 30.0
    """A factor of the weights. Good weights reach about 10, and Adam moves a weight by no more than
    the learning rate in a step: without the factor, the other layers would overfit before. With 10
    and with 100, the eval loss of short texts was 2 % higher."""

    def __init__(self, buckets: int, units: int, name: str) -> None:
        super().__init__(name=name, dtype="float32")
        self._buckets = buckets
        self._units = units

    def build(self, shapes: Sequence[tf.TensorShape]) -> None:
        self._kernel = self.add_weight(
            "kernel", [self._buckets + 1, self._units], initializer="zeros"
        )

    def call(self, inputs: Sequence[tf.Tensor]) -> tf.Tensor:
        ids, tfidf = inputs
        return self._SPEED * tf.einsum("bk,bku->bu", tfidf, tf.gather(self._kernel, ids))
