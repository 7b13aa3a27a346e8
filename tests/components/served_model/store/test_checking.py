"""A push that may not or cannot write to a store is refused before hours of work."""

from __future__ import annotations

import pytest
from faulty_server import Fault, FaultyServer
from machines import list_keys, push

from components.served_model.store.checking import check_store
from pipeline.core.errors import ConfigError
from pipeline.core.stores.remote import Remote


def test_an_empty_address_and_a_serving_directory_pass(one: str, address: str) -> None:
    check_store(address)
    assert list_keys(address) == []
    push(one, "a")
    before = list_keys(address)
    check_store(address)
    assert list_keys(address) == before


def test_an_address_of_other_objects_is_refused(address: str) -> None:
    Remote(address).put("photos/1.jpg", b"")
    with pytest.raises(ConfigError, match="holds other objects, such as 'photos'"):
        check_store(address)


def test_versions_without_a_pointer_are_refused(one: str, address: str) -> None:
    """The next push would remove them, since no pointer lists their files."""
    version = push(one, "a")
    Remote(address).remove(["served.json"])
    with pytest.raises(ConfigError, match=rf"served\.json is gone.*\({version}\)"):
        check_store(address)
    # As a push that was killed before it published anything.
    Remote(address).put(f".pending/{version}", b"{}")
    check_store(address)


def test_a_missing_bucket_is_refused(faulty_server: FaultyServer) -> None:
    with pytest.raises(ConfigError, match="absent"):
        check_store("s3://absent/models/taxi")


@pytest.mark.parametrize("ignored", [("create",), ("replace",), ("create", "replace")])
def test_a_store_that_ignores_a_condition_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch, ignored: tuple[str, ...]
) -> None:
    put_if = Remote.put_if

    # Servers of earlier years do so.
    def put_anyway(
        self: Remote, key: str, content: bytes, condition: dict[str, str]
    ) -> dict[str, str]:
        if ("replace" if condition else "create") not in ignored:
            return put_if(self, key, content, condition)
        self.put(key, content)
        return self.read_condition(key)

    monkeypatch.setattr(Remote, "put_if", put_anyway)
    with pytest.raises(ConfigError, match="ignores If-Match or If-None-Match"):
        check_store(address)
    assert list_keys(address) == []


def test_a_lost_answer_does_not_refuse_a_store(address: str, faulty_server: FaultyServer) -> None:
    answered: set[str] = set()

    def lose_each_answer_once(method: str, path: str) -> Fault:
        is_new = method == "PUT" and path not in answered
        answered.add(path)
        return "lose answer" if is_new else ""

    with faulty_server.failing(lose_each_answer_once):
        check_store(address)
