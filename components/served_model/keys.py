"""The keys that tell whether a candidate is the served model itself."""

from __future__ import annotations

import hashlib
from typing import Any

from pipeline.core.contracts import Property


def hash_texts(*parts: str) -> str:
    """A short hash of the parts and their boundaries."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(f"{len(part.encode())}:".encode() + part.encode())
    return hashed.hexdigest()[:32]


def add_fingerprint(key: str, fingerprint: str) -> str:
    """Completes a key, known when the DAG is wired, with the data, known when it runs."""
    return hash_texts(key, fingerprint)


def make_candidate_key(key: str, examples: list[Any]) -> str:
    """Completes a key with the data of the one Examples artifact of a component's input."""
    (artifact,) = examples
    return add_fingerprint(key, read_fingerprint(artifact))


def read_fingerprint(examples: Any) -> str:
    """The fingerprint on an Examples artifact; empty for queries, whose data have none."""
    return examples.get_string_custom_property(Property.INPUT_FINGERPRINT) or ""
