"""Whose an output on a store is."""

from __future__ import annotations

import pytest
from object_store import Bucket

from pipeline.core.errors import ConfigError
from pipeline.core.stores.remote import Remote
from serving.batch.results.output_directory import check_output, own_output
from serving.batch.results.records import RECORDS_DIRECTORY


def list_keys(bucket: Bucket) -> list[str]:
    found = bucket.client.list_objects_v2(Bucket=bucket.name)
    return [one["Key"] for one in found.get("Contents", ())]


def test_a_check_leaves_an_empty_address_empty(bucket: Bucket) -> None:
    bucket.put("out/", b"")
    check_output(bucket.url("out"), "prediction.output")
    assert list_keys(bucket) == ["out/"]


def test_an_address_is_ours_from_the_first_use_on(bucket: Bucket) -> None:
    bucket.put("out2/mine.txt", b"")
    with own_output(bucket.url("out")):
        pass
    bucket.put("out/any.parquet", b"")
    check_output(bucket.url("out"), "prediction.output")
    with own_output(bucket.url("out")):
        pass


def test_an_address_with_other_objects_is_refused_untouched(bucket: Bucket) -> None:
    bucket.put("out/deep/mine.txt", b"")
    words = r" s3://.*/out: holds other objects, such as 'deep/mine\.txt'"
    with pytest.raises(ConfigError, match=f"--output{words}"), own_output(bucket.url("out")):
        raise AssertionError("taken")
    with pytest.raises(ConfigError, match=f"prediction.output{words}"):
        check_output(bucket.url("out"), "prediction.output")
    assert list_keys(bucket) == ["out/deep/mine.txt"]


def test_a_missing_bucket_is_named(bucket: Bucket) -> None:
    address = "s3://nobody-has-it/out"
    with pytest.raises(ConfigError, match="there is no bucket 'nobody-has-it'"):
        check_output(address, "prediction.output")
    with pytest.raises(ConfigError, match="there is no bucket"), own_output(address):
        raise AssertionError("taken")


def test_a_store_that_ignores_conditions_is_refused(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Remote, "put_if", lambda remote, key, *_: remote.put(key, b"") or {})
    with pytest.raises(ConfigError, match=r"^prediction\.output: the store .* ignores If-Match"):
        check_output(bucket.url("out"), "prediction.output")
    assert not any(RECORDS_DIRECTORY in key for key in list_keys(bucket))
