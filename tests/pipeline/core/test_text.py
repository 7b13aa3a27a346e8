"""No text of a table can do anything on a terminal or in a file that people print on one."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.text import printable, printable_lines, readable_json, short_message


def test_escapes_are_shown_and_letters_stay() -> None:
    assert printable("größe 名前 😀 'a'") == "größe 名前 😀 'a'"
    assert printable("\x1b[31m\x9b\x07\r\n\u202e\u200b\ud800") == (
        r"\x1b[31m\x9b\x07\r\n\u202e\u200b\ud800"
    )


@given(st.text(st.characters()))
def test_nothing_invisible_is_left(text: str) -> None:
    assert printable(text).isprintable()
    assert all(line.isprintable() for line in printable_lines(text).split("\n"))
    assert printable_lines(text).count("\n") == text.count("\n")


@given(st.dictionaries(st.text(), st.text()))
def test_json_reads_back_and_is_printable(content: dict[str, str]) -> None:
    text = readable_json(content)
    assert json.loads(text) == content
    assert "".join(text.split("\n")).isprintable()


def test_json_has_no_word_for_what_is_undefined() -> None:
    content = {"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}}
    read = json.loads(readable_json(content), parse_constant=pytest.fail)
    assert read == {"a": None, "b": [None, 1.5], "c": {"d": None}}


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    told = short_message("ValueError: " + "x" * 10_000_000 + " of weight 3")
    assert len(told) < 1000
    assert told.startswith("ValueError: x")
    assert told.endswith("x of weight 3")


def test_json_keeps_letters_readable() -> None:
    assert "größe" in readable_json({"größe": 1})
