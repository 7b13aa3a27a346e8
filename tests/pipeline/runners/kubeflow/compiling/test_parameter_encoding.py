"""Encoded parameters reach a task unchanged."""

from __future__ import annotations

import pytest

from pipeline.runners.kubeflow.compiling.parameter_encoding import (
    decode_parameter,
    encode_parameter,
)


def test_a_short_text_stays_readable() -> None:
    assert encode_parameter("short") == decode_parameter("short") == "short"


def test_a_text_with_a_dollar_is_encoded_without_dollars() -> None:
    """Kubernetes would expand them."""
    priced = "classes: $, $$ and $(HOME)"
    assert "$" not in encode_parameter(priced)
    assert decode_parameter(encode_parameter(priced)) == priced


def test_a_long_text_is_compressed_and_restored() -> None:
    text = "column, " * 5_000
    assert len(encode_parameter(text)) < 1_000
    assert decode_parameter(encode_parameter(text)) == text


@pytest.mark.parametrize("text", ["zlib:abcd", "zlib:not base 64!"])
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (zlib and base64 word it differently)
        decode_parameter(text)
