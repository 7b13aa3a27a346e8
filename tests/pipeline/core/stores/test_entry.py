"""What tells whether a file is the one that was uploaded."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pipeline.core.stores.entry import Entry


def test_an_entry_has_the_size_and_the_hash_of_all_bytes(tmp_path: Path) -> None:
    content = b"0123456789" * 300_000
    (tmp_path / "a").write_bytes(content)
    assert Entry.of(tmp_path / "a") == Entry(len(content), hashlib.sha256(content).hexdigest())
