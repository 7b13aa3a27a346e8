"""Cuts text into distinct lower-case tokens, vectorised over the batch."""

from __future__ import annotations

import tensorflow as tf

_BETWEEN_TOKENS = r"[^\p{L}\p{M}\p{N}_]+"


def distinct_tokens(text: tf.Tensor, limit: int) -> tf.RaggedTensor:
    """The first `limit` distinct tokens of each text, in their order.

    Takes string [batch, 1] and gives ragged string [batch, up to limit]. A token is a run of
    letters, digits and underscores of any script. Bytes that are no UTF-8 separate tokens.
    """
    valid = tf.strings.unicode_transcode(text[:, 0], "UTF-8", "UTF-8", replacement_char=0x20)
    spaced = tf.strings.regex_replace(
        tf.strings.lower(valid, encoding="utf-8"), _BETWEEN_TOKENS, " "
    )
    tokens = tf.strings.split(spaced)
    is_first = _is_first_of_row(tokens.values, tokens.value_rowids())
    distinct = tf.RaggedTensor.from_value_rowids(
        tf.boolean_mask(tokens.values, is_first),
        tf.boolean_mask(tokens.value_rowids(), is_first),
        nrows=tokens.nrows(),
        validate=False,
    )
    return distinct[:, :limit]


def _is_first_of_row(tokens: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """bool [tokens]: whether the token did not occur before in its row."""
    # Tokens hold no blanks, so a row's number and a token joined by one are unique together.
    keys = tf.strings.join([tf.strings.as_string(rows), tokens], " ")
    distinct, key_ids = tf.unique(keys)
    positions = tf.range(tf.size(keys))
    first = tf.math.unsorted_segment_min(positions, key_ids, tf.size(distinct))
    return tf.gather(first, key_ids) == positions
