"""The keys that tell whether a candidate is the served model itself.

A key is first made without the data, when the DAG is wired (see pipeline/keys.py), and completed
with the data's fingerprint when the run has read the data.
"""

from __future__ import annotations

import hashlib
from typing import Any

from pipeline.core.contracts import Property


def hash_texts(*parts: str) -> str:
    """Returns 32 hexadecimal digits of a hash of the parts and of the boundaries between them."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(f"{len(part.encode())}:".encode() + part.encode())
    return hashed.hexdigest()[:32]


def add_fingerprint(key: str, fingerprint: str) -> str:
    """Returns the key completed with the fingerprint of the data."""
    return hash_texts(key, fingerprint)


def make_candidate_key(key: str, examples: list[Any]) -> str:
    """Returns the key completed with the fingerprint of the single Examples artifact."""
    (artifact,) = examples
    return add_fingerprint(key, read_fingerprint(artifact))


def make_push_key(run_key: str, exports_key: str) -> str:
    """Returns the key of a model with its exports.

    Args:
      run_key: the whole key of the model.
      exports_key: identifies the exports beside it; empty without exports.
    """
    return hash_texts(run_key, exports_key) if exports_key else run_key


def read_fingerprint(examples: Any) -> str:
    """Returns the fingerprint of an Examples artifact, empty if it has none."""
    return examples.get_string_custom_property(Property.INPUT_FINGERPRINT) or ""
