"""Bytes that nearly are what a reader expects: pieces of good ones, cut, doubled and mixed."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

_WORDS: tuple[bytes, ...] = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\n\n", b"\t", b'"', b"'",
    b",", b";", b"|", b"{", b"}", b"[", b"]", b":", b": ", b"- ", b"#", b"&a ", b"*a", b"<<: ",
    b"!!int ", b"!!python/object:os.system ", b"? ", b"%YAML 1.1\n", b"---\n", b"...\n", b"~",
    b"null", b"true", b"NaN", b"-Infinity", b"inf", b"1e999", b"-1e-999", b"9" * 25, b"0x1F",
    b"0o7", b"1_000", b"1:30", b"2020-02-30", b"2020-01-01T00:00:00+25:00", b"-0", b"--1",
    b"\\u0000", b"\\ud800", b"\\", b"$(rm)", b"../..", b"{{$.inputs}}",
    b"1.7976931348623157e+308", b"\xe2\x80\xae", b"[" * 2000, b"a" * 300,
)  # fmt: skip
_MOST_CHANGES = 6
_LONGEST_SPAN = 40


@st.composite
def mutate(draw: Any, seeds: Sequence[bytes]) -> bytes:
    """Draws one of the seeds with up to six changes."""
    content: bytes = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, _MOST_CHANGES))):
        begin = draw(st.integers(0, len(content)))
        end = min(len(content), begin + draw(st.integers(0, _LONGEST_SPAN)))
        content = content[:begin] + _draw_piece(draw, seeds, content[begin:end]) + content[end:]
    return content


def _draw_piece(draw: Any, seeds: Sequence[bytes], old: bytes) -> bytes:
    """Draws what takes the place of `old`."""
    kind = draw(st.sampled_from(["nothing", "word", "insert", "bytes", "double", "other"]))
    if kind == "nothing":
        return b""
    if kind == "double":
        return old * draw(st.integers(2, 4))
    if kind == "bytes":
        return draw(st.binary(max_size=8))
    if kind == "other":
        donor = draw(st.sampled_from(seeds))
        begin = draw(st.integers(0, len(donor)))
        return donor[begin : begin + draw(st.integers(0, 4 * _LONGEST_SPAN))]
    word = draw(st.sampled_from(_WORDS))
    return word + old if kind == "insert" else word
