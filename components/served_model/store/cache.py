"""The copies of serving directories that commands use which have no output directory."""

from __future__ import annotations

from components.served_model.store.local_copy import LocalCopy
from pipeline.core.stores.cache import find_cache


def open_cache(address: str) -> str:
    """Returns the copy of a serving directory below the user's directory of caches.

    It is made if there is none, and may be empty or old: `refresh` makes it as the store is.
    """
    directory = str(find_cache("served-models", address))
    LocalCopy.make(directory, address)
    return directory
