"""The places of copies of what lies on a store, in the user's directory of caches."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pipeline.core.environment import caches_directory
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.client import find_endpoint


def find_cache(kind: str, address: str) -> Path:
    """Returns the directory for the copy of an address; it need not exist.

    Args:
      kind: the name of the directory that has the copies of a kind.
    """
    # The same bucket of two servers holds different objects.
    place = f"{find_endpoint(parse_address(address))} {address}"
    name = hashlib.sha256(place.encode()).hexdigest()[:32]
    return caches_directory() / kind / name
