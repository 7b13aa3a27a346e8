"""Splits text into lower-case tokens with TensorFlow operations."""

from __future__ import annotations

import tensorflow as tf

_BETWEEN_TOKENS = r"[^\p{L}\p{M}\p{N}_]+"


def split_tokens(text: tf.Tensor) -> tf.RaggedTensor:
    """Returns the tokens of each text, ragged string [batch, tokens], from string [batch, 1].

    A token is a run of letters, digits and underscores of any script. Invalid UTF-8 bytes separate
    tokens.
    """
    valid = tf.strings.unicode_transcode(text[:, 0], "UTF-8", "UTF-8", replacement_char=0x20)
    spaced = tf.strings.regex_replace(
        tf.strings.lower(valid, encoding="utf-8"), _BETWEEN_TOKENS, " "
    )
    return tf.strings.split(spaced)


def distinct_tokens(tokens: tf.RaggedTensor, limit: int) -> tf.RaggedTensor:
    """Returns the first `limit` distinct tokens of each text, in order of appearance.

    Takes the result of `split_tokens` and returns ragged string [batch, up to limit].
    """
    is_first = _is_first_of_row(tokens.values, tokens.value_rowids())
    distinct = tf.RaggedTensor.from_value_rowids(
        tf.boolean_mask(tokens.values, is_first),
        tf.boolean_mask(tokens.value_rowids(), is_first),
        nrows=tokens.nrows(),
        validate=False,
    )
    return distinct[:, :limit]


def _is_first_of_row(tokens: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """Returns whether each token is the first of its kind in its row, bool [tokens]."""
    # Tokens contain no blanks: a row number and a token joined by a blank identify the pair.
    keys = tf.strings.join([tf.strings.as_string(rows), tokens], " ")
    distinct, key_ids = tf.unique(keys)
    positions = tf.range(tf.size(keys))
    first = tf.math.unsorted_segment_min(positions, key_ids, tf.size(distinct))
    return tf.gather(first, key_ids) == positions
