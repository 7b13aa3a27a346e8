"""A store that ignores conditions is found out; `test_checking.py` has a store that does."""

import pytest
from object_store import Bucket

from pipeline.core.stores.conditions import honors_conditions
from pipeline.core.stores.remote import Remote


def test_a_store_that_honors_conditions_is_left_as_it_was(bucket: Bucket) -> None:
    remote = Remote(bucket.url("out"))
    assert honors_conditions(remote, "check")
    assert remote.list_first() == []


def test_a_store_that_accepts_every_put_is_found_out(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(remote: Remote, key: str, content: bytes, condition: object) -> dict[str, str]:
        remote.put(key, content)
        return remote.read_condition(key)

    monkeypatch.setattr(Remote, "put_if", put)
    assert not honors_conditions(Remote(bucket.url("out")), "check")
