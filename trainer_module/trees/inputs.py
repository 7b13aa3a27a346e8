"""Turns the transformed features into the columns of the trees, for training and for serving.

- A number is one column, a timestamp one for each part; a missing value is NaN.
- A category, hashed or not, is one column of ids, which LightGBM splits as categories. Id 0, a
  missing value, is a category of its own: trees may send it to either side. An ordered category is
  a second column, too: its number.
- A text is the number of its tokens, and a column for each of the most frequent tokens, 1 where
  the text has the token. In a missing text, the number of tokens is NaN. With `tfidf_buckets`, the
  columns are the TF-IDF weights of the n-grams that `ngram_choice` chose, in place of tokens.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import tensorflow as tf
import tensorflow_transform as tft

from pipeline.config import Features
from pipeline.config.sections.features import Timestamp
from trainer_module.encoding.for_trees import NUMBERS
from trainer_module.encoding.vocabulary_file import FILE_NAME, read_vocabularies
from trainer_module.names import (
    FIRST_TOKEN_ID,
    column_of,
    has_ngrams,
    ngrams_name,
    part_of,
    tfidf_name,
    transformed_name,
    trees_name,
)
from trainer_module.trees.ngram_choice import Ids

_CATEGORIES = ("categorical", "hashed")
_MISSING_TEXT = FIRST_TOKEN_ID - 1


@dataclass(frozen=True)
class TreeColumn:
    """One column of the trees."""

    feature: str
    """The column of the table."""
    part: str = ""
    """The part of a timestamp, the token of a text, or the number of an ordered category; empty if
    the feature has one column."""
    is_categorical: bool = False


class TreeInputs:
    """The columns of the trees, in their order, and the function that computes them."""

    def __init__(
        self,
        features: Features,
        transform_output: tft.TFTransformOutput,
        text_tokens: int,
        ngrams: Mapping[str, Ids] | None = None,
    ) -> None:
        self._features = features
        self._ngrams = ngrams or {}
        path = transform_output.vocabulary_file_by_name(FILE_NAME)
        vocabularies = read_vocabularies(path and os.fspath(path))
        self._tokens = {
            column: vocabularies.get(transformed_name(column), [])[:text_tokens]
            for column, feature in features.items()
            if feature.kind == "text" and column not in self._ngrams
        }
        self.columns = tuple(column for name in features for column in self._columns_of(name))
        self.names = output_names(features)
        """The names of Transform's outputs that the columns are computed from."""

    def __call__(self, transformed: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Returns the columns, float32 [batch, columns], of Transform's outputs by name."""
        parts = []
        for name in self._features:
            values = transformed[_name_of(name, self._features)]
            if name in self._ngrams:
                ids, tfidf = transformed[ngrams_name(name)], transformed[tfidf_name(name)]
                parts += [_mark(values, 0), _pick(ids, tfidf, self._ngrams[name])]
            elif name in self._tokens:
                parts.append(_mark(values, len(self._tokens[name])))
            else:
                parts.append(tf.cast(values, tf.float32))
        return tf.concat(parts, axis=1)

    def _columns_of(self, name: str) -> list[TreeColumn]:
        feature = self._features[name]
        if isinstance(feature, Timestamp):
            return [TreeColumn(name, part) for part in feature.parts]
        if name in self._ngrams:
            found = (f"n-gram {number}" for number in self._ngrams[name].tolist())
            return [TreeColumn(name, part) for part in ("number of tokens", *found)]
        if name in self._tokens:
            tokens = [token.decode("utf-8", "replace") for token in self._tokens[name]]
            return [TreeColumn(name, "number of tokens"), *(TreeColumn(name, t) for t in tokens)]
        is_categorical = feature.kind in _CATEGORIES
        return [TreeColumn(column_of(name), part_of(name), is_categorical=is_categorical)]


def output_names(features: Features) -> tuple[str, ...]:
    """Returns the names of Transform's outputs that trees read."""
    texts = [name for name, feature in features.items() if has_ngrams(feature)]
    names = (_name_of(name, features) for name in features)
    return (*names, *map(ngrams_name, texts), *map(tfidf_name, texts))


def _name_of(column: str, features: Features) -> str:
    is_number = features[column].kind in NUMBERS
    return trees_name(column) if is_number else transformed_name(column)


def _pick(ids: tf.Tensor, tfidf: tf.Tensor, chosen: Ids) -> tf.Tensor:
    """Returns the TF-IDF weights of the chosen n-grams, float32 [batch, chosen].

    `ids` are int64 and `tfidf` float32, [batch, max_ngrams]; `chosen` are ascending.
    """
    rows, count = tf.shape(ids)[0], len(chosen)
    if not count:
        return tf.zeros([rows, 0])
    places = tf.searchsorted(chosen, tf.reshape(ids, [-1]))
    places = tf.reshape(tf.minimum(places, count - 1), tf.shape(ids))
    cells = tf.range(rows)[:, tf.newaxis] * count + places
    # Negative segments are left out of the sum.
    cells = tf.where(tf.gather(chosen, places) == ids, cells, -1)
    flat = tf.math.unsorted_segment_sum(
        tf.reshape(tfidf, [-1]), tf.reshape(cells, [-1]), rows * count
    )
    return tf.reshape(flat, [rows, count])


def _mark(ids: tf.Tensor, count: int) -> tf.Tensor:
    """Returns the number of tokens and a mark for each of the first `count` tokens.

    `ids` are int64 [batch, max_tokens]; the result is float32 [batch, 1 + count].
    """
    is_missing = ids[:, :1] == _MISSING_TEXT
    length = tf.reduce_sum(tf.cast(ids >= FIRST_TOKEN_ID, tf.float32), axis=1, keepdims=True)
    size = FIRST_TOKEN_ID + count
    # Ids of other tokens are as large as padding is small: both are cut off below.
    known = tf.where(ids < size, ids, 0)
    marks = tf.math.bincount(
        tf.cast(known, tf.int32), minlength=size, maxlength=size, axis=-1, binary_output=True
    )
    marks = tf.reshape(tf.cast(marks[:, FIRST_TOKEN_ID:], tf.float32), [tf.shape(ids)[0], count])
    return tf.concat([tf.where(is_missing, float("nan"), length), marks], axis=1)
