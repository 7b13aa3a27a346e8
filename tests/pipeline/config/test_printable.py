"""No text of a table can do anything on a terminal or in a file that people print on one."""

import json

from hypothesis import given
from hypothesis import strategies as st

from pipeline.config.printable import printable, printable_lines, readable_json


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


def test_json_keeps_letters_readable() -> None:
    assert "größe" in readable_json({"größe": 1})
