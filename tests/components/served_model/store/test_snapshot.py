"""A snapshot and the object that holds it."""

from __future__ import annotations

import json

import pytest

from components.served_model.store.snapshot import Snapshot, find_unit, is_text, number_of
from pipeline.core.errors import ConfigError
from pipeline.core.stores.entry import Entry

SNAPSHOT = Snapshot(
    {"version": "17"},
    {"17/saved_model.pb": Entry(3, "abc"), ".reference/17/schema/s": Entry(1, "d")},
    {".reference/17/served.json": "{}", ".push_history.json": "[]"},
    "token",
)


def test_an_object_is_read_as_it_was_written() -> None:
    assert Snapshot.parse(SNAPSHOT.to_bytes(), "s3://b/served.json") == SNAPSHOT


def test_the_object_begins_as_a_pointer_file() -> None:
    assert json.loads(SNAPSHOT.to_bytes())["version"] == "17"


def test_a_new_token_makes_another_object_of_the_same_content() -> None:
    other = SNAPSHOT.with_new_token()
    assert other.has_same_content(SNAPSHOT)
    tokens = {SNAPSHOT.token, other.token, SNAPSHOT.with_new_token().token}
    assert len(tokens) == 3
    assert all(isinstance(token, str) for token in tokens)


@pytest.mark.parametrize("content", [b"{", b"{}", b"[]", b'{"store": {"format": 2}}'])
def test_a_damaged_object_is_refused(content: bytes) -> None:
    with pytest.raises(ConfigError, match=r"^s3://b/served\.json: damaged, or written by another"):
        Snapshot.parse(content, "s3://b/served.json")


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("17/variables/v", "17"),
        (".reference/17/schema/s", ".reference/17"),
        (".waiting/18/model/saved_model.pb", ".waiting/18"),
        ("17", ""),
        (".reference/other/x", ""),
        (".waiting/18", ""),
        (".staged-1/x", ""),
        (".staged-1/17/x", ""),
        ("served.json", ""),
        (".push_history.json", ""),
    ],
)
def test_files_come_and_go_with_their_version(path: str, unit: str) -> None:
    assert find_unit(path) == unit


def test_units() -> None:
    assert SNAPSHOT.units() == {"17", ".reference/17"}
    assert number_of(".reference/17") == number_of("17") == "17"
    assert [*SNAPSHOT.files_of("17")] == ["17/saved_model.pb"]


def test_records_and_candidates_are_texts() -> None:
    texts = (".push_history.json", ".reference/17/served.json", ".waiting/17/candidate.json")
    others = (
        "17/served.json", ".reference/17/schema/served.json", "served.json",
        ".waiting/17/model/saved_model.pb", "17/candidate.json",
    )  # fmt: skip
    assert [is_text(path) for path in (*texts, *others)] == [True] * 3 + [False] * 5
