"""Copies of serving directories in the user's directory of caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.served_model.store.cache import open_cache
from components.served_model.store.local_copy import LocalCopy


def test_an_address_has_one_copy_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    copy = open_cache("s3://bucket/models/taxi")
    assert Path(copy).parent == tmp_path / "served-models"
    found = LocalCopy.find(copy)
    assert found is not None
    assert found.address == "s3://bucket/models/taxi"
    assert open_cache("s3://bucket/models/taxi") == copy
