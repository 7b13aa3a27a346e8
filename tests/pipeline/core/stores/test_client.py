import subprocess
import sys

import pytest
from object_store import Bucket

from pipeline.core.errors import ConfigError
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.client import find_endpoint, forget_stores, open_store

ADDRESS = parse_address("s3://bucket/t.csv")


@pytest.mark.parametrize(
    ("address", "environment", "endpoint"),
    [
        ("s3://b", {}, ""),
        ("s3://b", {"AWS_ENDPOINT_URL": "http://minio:9000/"}, "http://minio:9000"),
        ("s3://b", {"AWS_ENDPOINT_URL_S3": "https://s3", "AWS_ENDPOINT_URL": "https://x"}, "https://s3"),
        ("gs://b", {"STORAGE_EMULATOR_HOST": "localhost:4443"}, "http://localhost:4443"),
        ("gs://b", {"AWS_ENDPOINT_URL": "http://minio:9000"}, ""),
        ("az://b", {"AZURE_STORAGE_ENDPOINT": "https://acme.example.com"}, "https://acme.example.com"),
    ],
)  # fmt: skip
def test_the_environment_names_the_endpoint(
    address: str, environment: dict[str, str], endpoint: str
) -> None:
    assert find_endpoint(parse_address(address), environment) == endpoint


def test_an_endpoint_without_a_scheme_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"AWS_ENDPOINT_URL: .* must begin with http"):
        find_endpoint(ADDRESS, {"AWS_ENDPOINT_URL": "minio:9000"})


def test_a_process_opens_a_bucket_once(bucket: Bucket) -> None:
    first = open_store(parse_address(bucket.url("a")))
    assert open_store(parse_address(bucket.url("b"))) is first
    forget_stores()
    assert open_store(parse_address(bucket.url("a"))) is not first


def test_azure_needs_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(ConfigError, match="names no storage account") as caught:
        open_store(parse_address("az://box/t.csv"))
    assert "az://box@ACCOUNT" in caught.value.hint


def test_the_library_is_imported_when_an_address_is_met() -> None:
    code = (
        "import sys, pipeline.core.stores.reading as r; assert 'obstore' not in sys.modules;"
        "from pipeline.core.stores import client, address as a;"
        "client.open_store(a.parse_address('s3://b')); assert 'obstore' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
