import dataclasses
from pathlib import Path

from object_store import Bucket, Proxy

from components.tables.fingerprint import compute_fingerprint, resolve_paths
from components.tables.sources.object_fingerprint import fingerprint_objects
from pipeline.config import DataConfig
from pipeline.core.stores.address import StoreAddress
from pipeline.core.stores.listing import StoreObject, find_objects


def find(bucket: Bucket, pattern: str) -> list[StoreObject]:
    return find_objects(bucket.url(pattern))


def test_a_fingerprint_changes_with_content_and_names_alone(bucket: Bucket) -> None:
    bucket.put("one/a.csv", b"a")
    bucket.put("one/b.csv", b"b")
    first = fingerprint_objects(find(bucket, "one/*"))
    bucket.put("one/a.csv", b"a")
    bucket.put("two/a.csv", b"a")
    bucket.put("two/b.csv", b"b")
    assert fingerprint_objects(find(bucket, "one/*")) == first
    assert fingerprint_objects(find(bucket, "two/*")) == first
    bucket.put("two/a.csv", b"c")
    assert fingerprint_objects(find(bucket, "two/*")) != first
    bucket.put("one/c.csv", b"")
    assert fingerprint_objects(find(bucket, "one/*")) != first


def test_no_byte_is_read_for_the_fingerprint(bucket: Bucket, proxy: Proxy) -> None:
    found = find_objects(str(find_address(bucket)))
    proxy.requests.clear()
    fingerprint_objects(found)
    assert not proxy.requests


def find_address(bucket: Bucket) -> StoreAddress:
    bucket.put("a.csv", b"a")
    return find(bucket, "a.csv")[0].address


def test_bytes_are_hashed_where_tags_say_too_little(bucket: Bucket) -> None:
    address = find_address(bucket)
    (found,) = find_objects(str(address))
    untagged = dataclasses.replace(found, e_tag=None)
    assert fingerprint_objects([untagged]) != fingerprint_objects([found])
    first = fingerprint_objects([untagged])
    assert fingerprint_objects([untagged]) == first
    bucket.put("a.csv", b"b")
    assert fingerprint_objects([untagged]) != first


def test_files_of_both_places_count(bucket: Bucket, tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_bytes(b"a,b\n")
    stored = bucket.put("s.csv", b"a,b\n")

    def compute(*paths: str) -> str:
        return compute_fingerprint(resolve_paths(DataConfig(path=paths))[0])

    local = str(tmp_path / "l.csv")
    both = compute(local, stored)
    assert compute(stored, local) == both
    assert len({both, compute(local), compute(stored)}) == 3
    (tmp_path / "l.csv").write_bytes(b"a,c\n")
    assert compute(local, stored) != both
