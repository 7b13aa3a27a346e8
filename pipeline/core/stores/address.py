"""The address of an object, such as s3://bucket/folder/table.csv, taken apart and checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from pipeline.core.errors import ConfigError

Provider = Literal["s3", "gs", "azure"]

_PROVIDERS: dict[str, Provider] = {
    "s3": "s3", "gs": "gs", "az": "azure", "abfs": "azure", "abfss": "azure",
}  # fmt: skip
_FORM = re.compile(r"(?P<scheme>[a-z0-9+.-]+)://(?P<host>[^/]*)(?:/(?P<key>.*))?", re.DOTALL)
_SCHEMES = "s3://, gs://, az://, abfs:// and abfss://"


@dataclass(frozen=True, order=True)
class StoreAddress:
    """An object, or all objects whose keys begin with `key` and a slash."""

    scheme: str
    host: str
    """The bucket; for Azure the container, with or without `@ACCOUNT.dfs.core.windows.net`."""
    key: str
    """The name in the bucket, without slashes at its ends; it may be empty."""

    @property
    def provider(self) -> Provider:
        """The protocol of the store."""
        return _PROVIDERS[self.scheme]

    @property
    def bucket(self) -> str:
        """The bucket, or Azure's container."""
        return self.host.partition("@")[0]

    @property
    def account(self) -> str:
        """Azure's storage account, where the address names one; else empty."""
        return self.host.partition("@")[2].partition(".")[0]

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self.key.rpartition("/")[2]

    def with_key(self, key: str) -> StoreAddress:
        """Returns the address of another object in the same bucket."""
        return replace(self, key=key.strip("/"))

    def child(self, name: str) -> StoreAddress:
        """Returns the address of an object below this address."""
        return self.with_key(f"{self.key}/{name}")

    def is_below(self, folder: StoreAddress) -> bool:
        """Whether this is the address of the folder, or of an object below it."""
        is_same_bucket = (self.provider, self.bucket) == (folder.provider, folder.bucket)
        return is_same_bucket and f"{self.key}/".startswith(f"{folder.key}/" if folder.key else "")

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}/{self.key}" if self.key else self.root

    @property
    def root(self) -> str:
        """The address of the bucket."""
        return f"{self.scheme}://{self.host}"


def is_store_address(text: str) -> bool:
    """Whether the text begins like an address that `parse_address` reads."""
    scheme, separator, _ = text.partition("://")
    return bool(separator) and scheme in _PROVIDERS


def parse_address(text: str) -> StoreAddress:
    """Returns the parts of an address; a key may also be a pattern.

    Raises:
      ConfigError: the text is no address of an object store, or holds credentials.
    """
    match = _FORM.fullmatch(text)
    if match is None or match["scheme"] not in _PROVIDERS:
        raise ConfigError(f"{text} is no address of an object store", f"known are {_SCHEMES}")
    host, key = match["host"], (match["key"] or "").strip("/")
    is_azure = _PROVIDERS[match["scheme"]] == "azure"
    if ":" in host or ("@" in host and not is_azure):
        # The text is not repeated: what stands there may be a password.
        raise ConfigError(
            f"an address {match['scheme']}:// names a user, a password or a port before its bucket",
            "credentials and endpoints come from environment variables, see docs/object-stores.md",
        )
    address = StoreAddress(match["scheme"], host, key)
    if not address.bucket:
        kind = "container" if is_azure else "bucket"
        raise ConfigError(f"{text} names no {kind}", f"write {match['scheme']}://{kind}/folder")
    if any(part in ("", ".", "..") for part in key.split("/")) and key:
        raise ConfigError(
            f"{text}: a part of the key is empty, '.' or '..'",
            "no object with such a key can be read; rename the object",
        )
    return address
