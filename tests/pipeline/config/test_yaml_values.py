"""What only looks like a value of YAML."""

import contextlib
import datetime
from typing import Any

import pytest
from ruamel.yaml.error import YAMLError

from pipeline.config.yaml_values import read_document, read_value, read_values


def read_encoded(text: str) -> Any:
    return read_document(text.encode())


READERS = (read_encoded, read_value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2021-02-30", "'2021-02-30' cannot be read as timestamp: day is out of range"),
        ("2020-01-01T99:00:00Z", "cannot be read as timestamp: hour must be in 0..23"),
        ("!!int x", "'x' cannot be read as int"),
        ("!!float x", "'x' cannot be read as float"),
        ("!!bool x", "'x' cannot be read as bool"),
        ("9" * 6000, f"'{'9' * 40}' cannot be read as int"),
    ],
)
def test_a_value_that_cannot_be_read_is_named_with_its_line(text: str, words: str) -> None:
    for read in (lambda: read_document(f"\na: {text}\n".encode()), lambda: read_value(text)):
        with pytest.raises(YAMLError) as caught:
            read()
        assert words in caught.value.problem
    with pytest.raises(YAMLError) as caught:
        read_document(f"\na: {text}\n".encode())
    assert caught.value.problem_mark.line == 1


@pytest.mark.parametrize("text", ["a: 1\n? b:\n  - c\n", "? - {b: c}\n: d\n", "? - [b]\n: d\n"])
def test_a_key_that_is_no_text_is_refused_or_read_but_never_fails(text: str) -> None:
    for read in READERS:
        with contextlib.suppress(YAMLError):
            read(text)


def test_a_key_with_a_mapping_in_it_is_refused() -> None:
    with pytest.raises(YAMLError, match="a key must be text"):
        read_document(b"a: 1\n? b:\n  - c\n")
    for read in READERS:
        with pytest.raises(YAMLError, match="a key must be text"):
            read("? - {b: c}\n: d\n")


def test_other_values_are_read_as_before() -> None:
    text = "{a: 1_000, b: 2021-02-28, c: yes, d: 1e3, e: '2021-02-30', f: [null, .5]}"
    values = {
        "a": 1000,
        "b": datetime.date(2021, 2, 28),
        "c": "yes",
        "d": 1000.0,
        "e": "2021-02-30",
        "f": [None, 0.5],
    }
    assert dict(read_document(text.encode())) == values
    assert read_value(text) == values


def test_an_anchor_that_is_set_again_has_its_newest_value_without_a_warning(
    recwarn: pytest.WarningsRecorder,
) -> None:
    text = "a: &x 1\nb: &x 2\nc: *x\n"
    assert read_document(text.encode()) == read_value(text) == {"a": 1, "b": 2, "c": 2}
    assert not list(recwarn)


def test_each_of_several_documents_is_read_or_refused() -> None:
    assert read_values("a: 1\n---\nb: 2\n") == [{"a": 1}, {"b": 2}]
    with pytest.raises(YAMLError, match="'' cannot be read as int"):
        read_values("!!int : 1\n---\nb: 2\n")
