"""Tokens of texts."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from trainer_module.encoding.tokens import distinct_tokens, split_tokens


def column(*values: Any) -> tf.Tensor:
    return tf.constant([[value] for value in values])


def test_tokens_are_distinct_lower_case_words_up_to_a_limit() -> None:
    text = column("Größe, größe: XL-large_2!", "", "b a b c d", b"a\xffB", "日本 語日本", "  ")
    tokens = distinct_tokens(split_tokens(text), 3)
    assert [[t.decode() for t in row] for row in tokens.to_list()] == [
        ["größe", "xl", "large_2"],
        [],
        ["b", "a", "c"],
        ["a", "b"],
        ["日本", "語日本"],
        [],
    ]
