"""Objects below an address: conditions, transfers, listings."""

from __future__ import annotations

from pathlib import Path

import pytest
from object_store import Bucket, Proxy

from pipeline.core.stores import remote as remote_module
from pipeline.core.stores.remote import LostRaceError, Remote


@pytest.fixture
def address(bucket: Bucket) -> str:
    return bucket.url("models/taxi")


def test_a_put_needs_its_condition(address: str) -> None:
    remote = Remote(address)
    assert remote.read("a") is None
    assert remote.read_condition("a") == {}
    first = remote.put_if("a", b"1", {})
    assert remote.read("a") == (b"1", first)
    second = remote.put_if("a", b"2", first)
    for condition in ({}, first):
        with pytest.raises(LostRaceError):
            remote.put_if("a", b"3", condition)
    assert remote.read("a") == (b"2", second)
    remote.remove(["a", "a"])
    with pytest.raises(LostRaceError):
        remote.put_if("a", b"3", second)


@pytest.mark.parametrize(("most", "puts"), [(1 << 20, 4), (32 << 20, 1)])
def test_only_a_large_file_is_uploaded_in_pieces(
    most: int,
    puts: int,
    address: str,
    proxy: Proxy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote_module, "_MOST_AT_ONCE", most)
    path = tmp_path / "large"
    path.write_bytes(b"0123456789" * (2 << 20))
    remote = Remote(address)
    with path.open("rb") as file:
        remote.upload(file, "a")
    assert len([method for method, *_ in proxy.requests if method == "PUT"]) == puts
    assert b"".join(remote.read_blocks("a", 20 << 20)) == path.read_bytes()
    assert remote.measure("a") == 20 << 20
    assert remote.measure("b") is None


def test_a_large_file_is_read_in_pieces(address: str, tmp_path: Path) -> None:
    remote, source = Remote(address), tmp_path / "source"
    content = b"0123456789" * (2 << 20)
    source.write_bytes(content)
    remote.upload(source, "1/large")
    blocks = list(remote.read_blocks("1/large", len(content)))
    assert len(blocks) > 1
    assert b"".join(blocks) == content


def test_listings_name_keys_below_the_address(address: str) -> None:
    remote = Remote(address)
    for key in ("1/a", "1/b/c", "2/a", "12/a", "served.json"):
        remote.put(key, b"")
    assert sorted(remote.list_directories("")) == ["1", "12", "2"]
    assert remote.list_directories("1") == ["b"]
    assert [found.key for found in remote.list("1")] == ["1/a", "1/b/c"]
    assert sorted(remote.list_first()) == ["1/a", "1/b/c", "12/a", "2/a", "served.json"]
    assert Remote(f"{address}-other").list_first() == []
