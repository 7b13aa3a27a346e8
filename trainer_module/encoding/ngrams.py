"""Counts the n-grams of texts with TensorFlow operations.

Neighbouring words say more than the same words alone, such as "not good". N-grams of characters
relate codes, names and misspelt words that share a part. A table has too many n-grams for a
vocabulary: each is hashed into a bucket.
"""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow as tf

from pipeline.config.sections.features import Text

_FEWEST_CHARACTERS = 2
"""The shortest n-gram of characters; the marks at both ends of a word count."""


@dataclass(frozen=True)
class NGrams:
    """The n-grams of each text, without repetitions."""

    buckets: tf.RaggedTensor
    """int64 [batch, n-grams of the text]"""
    counts: tf.RaggedTensor
    """How often the text has an n-gram of the bucket, float32 [batch, n-grams of the text]."""


def count_ngrams(words: tf.RaggedTensor, feature: Text) -> NGrams:
    """Counts the n-grams of the first `max_ngrams` words, string [batch, words]."""
    words = words[:, : feature.max_ngrams]
    grams = tf.strings.ngrams(words, list(range(1, feature.word_ngrams + 1)))
    if feature.character_ngrams:
        grams = tf.concat([grams, _split_characters(words, feature.character_ngrams)], axis=1)
    size = feature.tfidf_buckets
    bucket = tf.strings.to_hash_bucket_fast(grams.values, size)
    keys, _, counts = tf.unique_with_counts(grams.value_rowids() * size + bucket)
    # The first n-grams of the texts are in the order of the texts.
    buckets = tf.RaggedTensor.from_value_rowids(
        keys % size, keys // size, nrows=words.nrows(), validate=False
    )
    return NGrams(buckets, buckets.with_values(tf.cast(counts, tf.float32)))


def _split_characters(words: tf.RaggedTensor, longest: int) -> tf.RaggedTensor:
    """Returns the n-grams of characters within each word, string [batch, n-grams of the text].

    A word's first and last character are marked. No n-gram equals a word or an n-gram of words.
    """
    marked = tf.strings.join(["<", words.values, ">"])
    characters = tf.strings.unicode_split(marked, "UTF-8")
    lengths = list(range(_FEWEST_CHARACTERS, longest + 1))
    grams = tf.strings.ngrams(characters, lengths, separator="")
    return tf.RaggedTensor.from_value_rowids(
        tf.strings.join(["#", grams.values]),
        tf.gather(words.value_rowids(), grams.value_rowids()),
        nrows=words.nrows(),
        validate=False,
    )
