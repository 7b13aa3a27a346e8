"""The copies of serving directories that commands use which have no output directory."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from components.served_model.store.local_copy import LocalCopy
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.client import find_endpoint


def open_cache(address: str) -> str:
    """Returns the copy of a serving directory below the user's directory of caches.

    It is made if there is none, and may be empty or old: `refresh` makes it as the store is.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(Path.home(), ".cache")
    # The same bucket of two servers has different models.
    place = f"{find_endpoint(parse_address(address))} {address}"
    name = hashlib.sha256(place.encode()).hexdigest()[:32]
    directory = os.path.join(cache, "served-models", name)
    LocalCopy.make(directory, address)
    return directory
