"""Checks addresses of object stores in the configuration."""

from __future__ import annotations

from pipeline.core.errors import ConfigError
from pipeline.core.files import is_remote
from pipeline.core.stores.address import StoreAddress, parse_address


def check_path(text: str) -> str:
    """Returns a path of a file system, or a pattern of objects, as it is.

    Raises:
      ValueError: it is an address of something else than an object store.
    """
    if is_remote(text):
        _parse(text)
    return text


def check_folder(text: str) -> str:
    """Returns a path of a file system as it is, and a folder of a store in its usual form.

    Raises:
      ValueError: it is another address, or that of a whole bucket.
    """
    if not is_remote(text):
        return text
    address = _parse(text)
    if not address.key:
        raise ValueError(f"{text} is a whole bucket; name a folder in it: {address.root}/NAME")
    return str(address)


def _parse(text: str) -> StoreAddress:
    try:
        return parse_address(text)
    except ConfigError as error:
        raise ValueError(f"{error}: {error.hint}") from None
