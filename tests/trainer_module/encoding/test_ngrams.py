"""Counts of n-grams."""

from __future__ import annotations

from collections import Counter
from typing import Any

import tensorflow as tf

from pipeline.config.sections.features import Text
from trainer_module.encoding.ngrams import count_ngrams
from trainer_module.encoding.tokens import split_tokens

BUCKETS = 1 << 20


def count(*texts: str, **settings: Any) -> list[dict[int, float]]:
    """Returns the count of each bucket, by text."""
    words = split_tokens(tf.constant([[text] for text in texts]))
    found = count_ngrams(words, Text(tfidf_buckets=BUCKETS, **settings))
    rows = zip(found.buckets.to_list(), found.counts.to_list(), strict=True)
    return [dict(zip(buckets, counts, strict=True)) for buckets, counts in rows]


def hashed(*grams: str) -> dict[int, float]:
    buckets = tf.strings.to_hash_bucket_fast(list(grams), BUCKETS).numpy().tolist()
    return dict(Counter(buckets))


def test_words_and_pairs_of_words_are_counted_by_text() -> None:
    found = count("Not good, not!", "", "bad", word_ngrams=2)
    assert found == [hashed("not", "good", "not", "not good", "good not"), {}, hashed("bad")]
    assert count("a b c", word_ngrams=1) == [hashed("a", "b", "c")]


def test_characters_are_counted_within_words_with_their_ends() -> None:
    found = count("Öl a", "", word_ngrams=1, character_ngrams=3)
    of_oil = ("öl", "#<ö", "#öl", "#l>", "#<öl", "#öl>")
    assert found == [hashed(*of_oil, "a", "#<a", "#a>", "#<a>"), {}]


def test_words_after_the_first_ones_are_left_out() -> None:
    assert count("a b c", "d", max_ngrams=2) == [hashed("a", "b", "a b"), hashed("d")]
