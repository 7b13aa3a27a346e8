"""The fingerprint of objects, from what their store says of them.

A store keeps an ETag for each object: of S3 a hash of the bytes, of others a mark that changes with
each write. So equal ETags mean equal bytes, and no byte is read. The bytes are hashed where a store
has no ETags, or weak ones, which may stay the same after a change.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from components.tables.sources.table_path import open_bytes
from pipeline.core.stores.listing import StoreObject

_CHUNK_BYTES = 1 << 20


def fingerprint_objects(objects: Sequence[StoreObject]) -> str:
    """Returns a digest of the objects' content, and of their names below their common folder.

    The bucket is not part of the digest: a copy in another bucket is the same table, if the store's
    ETags are the same.

    Raises:
      PipelineError: an object without a strong ETag cannot be read, or was changed.
    """
    ordered = sorted(objects)
    places = [f"/{found.address.bucket}/{found.address.key}" for found in ordered]
    root = os.path.commonpath([os.path.dirname(place) for place in places])
    total = hashlib.blake2b(digest_size=16)
    for place, found in zip(places, ordered, strict=True):
        name = os.fsencode(os.path.relpath(place, root))
        total.update(name + b"\0" + found.size.to_bytes(8, "big") + _identify(found))
    return total.hexdigest()


def _identify(found: StoreObject) -> bytes:
    if found.e_tag and not found.e_tag.startswith("W/"):
        return b"e" + found.e_tag.encode() + b"\0"
    digest = hashlib.blake2b()
    with open_bytes(found) as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return b"b" + digest.digest()
