import pytest

from pipeline.core.errors import ConfigError
from pipeline.core.stores.address import is_store_address, parse_address


@pytest.mark.parametrize(
    ("text", "provider", "bucket", "account", "key"),
    [
        ("s3://bucket/folder/table.csv", "s3", "bucket", "", "folder/table.csv"),
        ("s3://bucket", "s3", "bucket", "", ""),
        ("s3://bucket/folder/", "s3", "bucket", "", "folder"),
        ("gs://bucket/day={SPAN}/*.csv", "gs", "bucket", "", "day={SPAN}/*.csv"),
        ("az://box/a b.csv", "azure", "box", "", "a b.csv"),
        ("abfss://box@acme.dfs.core.windows.net/t.csv", "azure", "box", "acme", "t.csv"),
    ],
)
def test_an_address_has_its_parts(
    text: str, provider: str, bucket: str, account: str, key: str
) -> None:
    address = parse_address(text)
    assert is_store_address(text)
    assert (address.provider, address.bucket, address.account) == (provider, bucket, account)
    assert address.key == key
    assert str(address) == text.rstrip("/")


@pytest.mark.parametrize("text", ["table.csv", "/data/t.csv", "https://host/t.csv", "hdfs://h/t"])
def test_other_text_is_no_address_of_a_store(text: str) -> None:
    assert not is_store_address(text)
    with pytest.raises(ConfigError, match="no address of an object store"):
        parse_address(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s3:///t.csv", "names no bucket"),
        ("az://@acme/t.csv", "names no container"),
        ("s3://bucket/a//t.csv", "a part of the key is empty"),
        ("s3://bucket/../t.csv", "a part of the key is empty"),
    ],
)
def test_an_address_that_no_store_takes_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_address(text)


@pytest.mark.parametrize("text", ["s3://me:canary@bucket/t.csv", "s3://canary@bucket/t.csv"])
def test_credentials_in_an_address_are_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ConfigError, match="before its bucket") as caught:
        parse_address(text)
    assert "canary" not in caught.value.message + caught.value.hint


def test_addresses_below_an_address_are_in_the_same_bucket() -> None:
    folder = parse_address("s3://bucket/folder")
    assert str(folder.child("a/b.csv")) == "s3://bucket/folder/a/b.csv"
    assert str(folder.with_key("")) == folder.root == "s3://bucket"
    assert folder.child("a/b.csv").name == "b.csv"


@pytest.mark.parametrize(
    ("address", "folder", "is_below"),
    [
        ("s3://bucket/a/b", "s3://bucket/a", True),
        ("s3://bucket/a", "s3://bucket/a", True),
        ("s3://bucket/a", "s3://bucket", True),
        ("az://box/a/b", "abfs://box@account.dfs.core.windows.net/a", True),
        ("s3://bucket/ab", "s3://bucket/a", False),
        ("s3://bucket/a", "s3://bucket/a/b", False),
        ("s3://other/a/b", "s3://bucket/a", False),
        ("gs://bucket/a/b", "s3://bucket/a", False),
    ],
)
def test_a_folder_holds_what_lies_below_it(address: str, folder: str, is_below: bool) -> None:
    assert parse_address(address).is_below(parse_address(folder)) is is_below
