"""Two pushes never take one number."""

from __future__ import annotations

import pytest
from faulty_server import Fault, FaultyServer

from components.served_model.store.pending import list_pending, read_marks, reserve
from pipeline.core.errors import ConfigError
from pipeline.core.stores.remote import Remote


def test_a_taken_number_is_refused(address: str) -> None:
    remote = Remote(address)
    reserve(remote, ["17"], "token", "base")
    reserve(remote, ["17"], "token", "base")
    with pytest.raises(ConfigError, match="takes number 17 now"):
        reserve(remote, ["16", "17"], "other", "base")
    assert list_pending(remote) == ["16", "17"]
    assert [(mark.number, mark.token, mark.base) for mark in read_marks(remote)] == [
        ("16", "other", "base"),
        ("17", "token", "base"),
    ]


def test_a_lost_answer_does_not_lose_the_number(address: str, faulty_server: FaultyServer) -> None:
    answered: list[str] = []

    def lose_first(method: str, path: str) -> Fault:
        answered.append(path)
        return "lose answer" if len(answered) == 1 else ""

    with faulty_server.failing(lose_first):
        reserve(Remote(address), ["17"], "token", "base")
    assert len(answered) == 3


def test_a_damaged_mark_is_one_of_nobody(address: str) -> None:
    remote = Remote(address)
    remote.put(".pending/17", b"?")
    assert [mark.base for mark in read_marks(remote)] == [""]


def test_a_file_of_a_version_that_is_named_by_a_number_takes_no_number(address: str) -> None:
    remote = Remote(address)
    remote.put("17/assets/18", b"{}")
    assert list_pending(remote) == []
    assert read_marks(remote) == []


def test_a_mark_that_is_removed_while_marks_are_read_is_one_of_nobody(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = Remote(address)
    reserve(remote, ["17"], "token", "base")
    monkeypatch.setattr(Remote, "read", lambda self, key: None)
    assert [(mark.token, mark.base) for mark in read_marks(remote)] == [("", "")]
