import pytest
from object_store import Bucket, Proxy

from pipeline.core.errors import ConfigError
from pipeline.core.stores.listing import StoreObject, find_object, find_objects

KEYS = (
    "other/far.csv", "t/", "t/.hidden.csv", "t/[1].csv", "t/a.csv", "t/b.csv", "t/b.txt",
    "t/x/y/c.csv", "t/x/y/z/d.csv", "top.csv",
)  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        ("t/a.csv", ["t/a.csv"]),
        ("t/*.csv", ["t/[1].csv", "t/a.csv", "t/b.csv"]),
        ("t/[ab].csv", ["t/a.csv", "t/b.csv"]),
        ("t/[1].csv", ["t/[1].csv"]),
        ("t/?.txt", ["t/b.txt"]),
        ("t/.*", ["t/.hidden.csv"]),
        ("*/a.csv", ["t/a.csv"]),
        ("*.csv", ["top.csv"]),
        ("t/*/y/*.csv", ["t/x/y/c.csv"]),
        ("t/**/*.csv", ["t/[1].csv", "t/a.csv", "t/b.csv", "t/x/y/c.csv", "t/x/y/z/d.csv"]),
        ("t/**/y/**", ["t/x/y/c.csv", "t/x/y/z/d.csv"]),
        ("t/**/y/*.csv", ["t/x/y/c.csv"]),
        ("t/**/[cd].csv", ["t/x/y/c.csv", "t/x/y/z/d.csv"]),
        ("t/**", ["t/[1].csv", "t/a.csv", "t/b.csv", "t/b.txt", "t/x/y/c.csv", "t/x/y/z/d.csv"]),
        ("t/none*.csv", []),
        ("t/none.csv", []),
        ("t", []),
    ],
)
def test_a_pattern_matches_as_on_a_disk(bucket: Bucket, pattern: str, keys: list[str]) -> None:
    for key in KEYS:
        bucket.put(key, b"" if key.endswith("/") else b"abc")
    assert [found.address.key for found in find_objects(bucket.url(pattern))] == keys


def test_an_object_has_size_and_tag(bucket: Bucket) -> None:
    bucket.put("t.csv", b"abc")
    (first,) = find_objects(bucket.url("*.csv"))
    assert first.size == 3
    assert first == find_object(first.address)
    bucket.put("t.csv", b"abd")
    assert find_object(first.address).e_tag != first.e_tag


def test_only_the_folders_of_a_pattern_are_listed(proxy: Proxy, bucket: Bucket) -> None:
    for key in KEYS:
        bucket.put(key, b"abc")
    find_objects(bucket.url("t/x/*/*.csv"))
    assert len(proxy.requests) == 2
    assert all("prefix=t%2Fx%2F" in path for _, path, _ in proxy.requests)


def test_the_whole_bucket_is_never_listed(proxy: Proxy, bucket: Bucket) -> None:
    with pytest.raises(ConfigError, match="all objects of the bucket would be listed"):
        find_objects(bucket.url("**/*.csv"))
    assert not proxy.requests


def test_a_tag_is_the_same_in_a_list_and_in_an_answer(bucket: Bucket) -> None:
    (found,) = find_objects(bucket.put("t.csv", b"abc"))
    meta = {"size": 3, "e_tag": (found.e_tag or "").strip('"')}
    assert StoreObject.of(found.address, meta) == found
    assert StoreObject.of(found.address, {"size": 3, "e_tag": None}).e_tag is None
    assert StoreObject.of(found.address, {"size": 3, "e_tag": 'W/"a"'}).e_tag == 'W/"a"'
