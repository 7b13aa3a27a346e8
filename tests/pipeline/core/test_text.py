"""Text of tables and libraries is safe to show, short, and has numbers as a reader wants them."""

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.text import (
    counted,
    list_first,
    message_of,
    percent,
    printable,
    printable_lines,
    readable_json,
    short_message,
    shorten,
)


def test_escapes_are_shown_and_letters_stay() -> None:
    assert printable("größe 名前 😀 'a'") == "größe 名前 😀 'a'"
    assert printable("\x1b[31m\x9b\x07\r\n\u202e\u200b\ud800") == (
        r"\x1b[31m\x9b\x07\r\n\u202e\u200b\ud800"
    )


@given(st.text(st.characters()))
def test_no_invisible_character_is_left(text: str) -> None:
    assert printable(text).isprintable()
    assert all(line.isprintable() for line in printable_lines(text).split("\n"))
    assert printable_lines(text).count("\n") == text.count("\n")


def test_a_process_prints_to_standard_error_without_escape_sequences() -> None:
    script = "from pipeline.core.text import print_to_log; print_to_log(); print('größe \\x1b[2J')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b""
    assert done.stderr == "größe \\x1b[2J\n".encode()


@given(st.dictionaries(st.text(), st.text()))
def test_json_reads_back_and_is_printable(content: dict[str, str]) -> None:
    text = readable_json(content)
    assert json.loads(text) == content
    assert "".join(text.split("\n")).isprintable()


def test_json_has_null_for_nan_and_infinity() -> None:
    content = {"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}}
    read = json.loads(readable_json(content), parse_constant=pytest.fail)
    assert read == {"a": None, "b": [None, 1.5], "c": {"d": None}}


def test_json_keeps_letters_readable() -> None:
    assert "größe" in readable_json({"größe": 1})


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, "0 %"),
        (1e-6, "0.01 %"),
        (0.005, "0.5 %"),
        (0.1234, "12 %"),
        (0.9997, "99.97 %"),
        (0.999999, "99.99 %"),
        (1, "100 %"),
    ],
)
def test_a_share_has_the_digits_it_needs(share: float, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("share", "shown"), [(0.1234, "12.3 %"), (0.999999, "100 %"), (0.000123, "0.0123 %")]
)
def test_a_share_has_the_digits_that_are_asked_for(share: float, shown: str) -> None:
    assert percent(share, digits=3) == shown


@pytest.mark.parametrize(
    ("number", "thing", "shown"),
    [
        (1, "row", "1 row"),
        (0, "row", "0 rows"),
        (15_000, "category", "15,000 categories"),
        (2, "key", "2 keys"),
    ],
)
def test_a_number_and_its_noun_agree(number: int, thing: str, shown: str) -> None:
    assert counted(number, thing) == shown


def test_an_error_whose_text_fails_has_no_message() -> None:
    class WordlessError(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert message_of(WordlessError()) == ""
    assert message_of(OSError(" lost \n")) == "lost"


def test_a_text_longer_than_the_limit_loses_its_middle() -> None:
    assert shorten("12345678", 8) == "12345678"
    assert shorten("123456789", 8) == "1234 ... 6789"


def test_a_long_line_keeps_its_beginning_and_its_end() -> None:
    message = short_message("ValueError: " + "x" * 10_000_000 + " of weight 3")
    assert len(message) < 1000
    assert message.startswith("ValueError: x")
    assert message.endswith("x of weight 3")


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("no such column\nTraceback ...", "no such column"),
        (
            "in user code:\n\n    File x\n    bool of a tensor",
            "in user code: File x bool of a tensor",
        ),
        ("Feature tags had shape dim {\n  size: 2\n}", "Feature tags had shape dim { size: 2 }"),
    ],
)
def test_a_line_that_announces_more_is_joined_with_the_next_lines(message: str, shown: str) -> None:
    assert short_message(message) == shown


def test_a_long_announced_message_keeps_its_end() -> None:
    message = short_message("in user code:\n" + "File somewhere\n" * 100 + "the cause")
    assert message.startswith("in user code: ...")
    assert message.endswith("the cause")
    assert len(message) < 500


def test_of_many_items_the_first_are_listed_and_the_rest_is_counted() -> None:
    assert list_first(["a", "b", "c"], 3, "column") == ["a", "b", "c"]
    assert list_first(["a", "b", "c"], 2, "column") == ["a", "b", "and 1 more column"]
    assert list_first(["a", "b", "c"], 1, "category") == ["a", "and 2 more categories"]
    assert list_first([], 2, "column") == []
