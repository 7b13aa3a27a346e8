"""An output on a store, and machines that work with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from object_store import Bucket

from pipeline.core.stores import lease


@pytest.fixture(autouse=True)
def _fast_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_RENEWAL_SECONDS", 0.1)
    monkeypatch.setattr(lease, "_WATCH_SECONDS", 0.5)


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of caches: all machines have it at the same place."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches"


@pytest.fixture
def address(bucket: Bucket) -> str:
    return bucket.url("runs/shop")
