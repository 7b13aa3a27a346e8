"""Real answers of real servers, told in a sentence."""

import pytest
from object_store import Bucket, Proxy

from pipeline.core.errors import ConfigError
from pipeline.core.stores import client
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.errors import (
    NoObjectError,
    StoreFailedError,
    explain_store_error,
    explaining_store_errors,
)
from pipeline.core.stores.listing import find_object, find_objects

NO_PAUSES = {**client._RETRIES, "max_retries": 1}


@pytest.fixture(autouse=True)
def _few_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_RETRIES", NO_PAUSES)
    client.forget_stores()


def test_a_missing_bucket_is_named(bucket: Bucket) -> None:
    for pattern in ("s3://nobody-has-it/t.csv", "s3://nobody-has-it/t*.csv"):
        with pytest.raises(ConfigError, match="there is no bucket 'nobody-has-it'"):
            find_objects(pattern)


def test_a_missing_object_is_named(bucket: Bucket) -> None:
    with pytest.raises(NoObjectError, match=r"/t\.csv: there is no such object"):
        find_object(parse_address(bucket.url("t.csv")))


def test_a_refusal_names_its_code(proxy: Proxy, bucket: Bucket) -> None:
    proxy.forever = "403"
    with pytest.raises(ConfigError, match=r"denied access \(403 AccessDenied\)") as caught:
        find_objects(bucket.url("*.csv"))
    assert "AWS_ACCESS_KEY_ID" in caught.value.hint


def test_an_endpoint_that_does_not_answer_is_named(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    client.forget_stores()
    with pytest.raises(ConfigError, match=r"no answer from http://127\.0\.0\.1:1") as caught:
        find_objects(bucket.url("*.csv"))
    assert "AWS_ENDPOINT_URL" in caught.value.hint


def test_a_store_that_stays_busy_is_no_wrong_configuration(proxy: Proxy, bucket: Bucket) -> None:
    proxy.forever = "503"
    with pytest.raises(StoreFailedError, match="503") as caught:
        find_objects(bucket.url("*.csv"))
    assert caught.value.exit_code == 1


def test_half_of_the_credentials_are_none(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(ConfigError, match="the environment holds no credentials"):
        find_objects(bucket.url("*.csv"))


def test_a_message_keeps_no_signature() -> None:
    from obstore.exceptions import GenericError

    error = GenericError(
        "Error performing GET http://host/b?sig=canary in 1 ms - odd\n\nDebug source: x"
    )
    told = explain_store_error(parse_address("az://b@acme/t.csv"), error)
    assert "canary" not in told.message
    assert "odd" in told.message


def test_errors_of_others_pass() -> None:
    with pytest.raises(ZeroDivisionError), explaining_store_errors(parse_address("s3://b")):
        _ = 1 / 0
    with pytest.raises(FileNotFoundError), explaining_store_errors(parse_address("s3://b")):
        open("/no/such/file")  # noqa: SIM115
