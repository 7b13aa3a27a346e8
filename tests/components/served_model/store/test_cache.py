"""Copies of serving directories in the user's directory of caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.served_model.store.cache import open_cache
from components.served_model.store.local_copy import LocalCopy


def test_each_address_of_each_server_has_one_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    copy = open_cache("s3://bucket/models/taxi")
    assert Path(copy).is_relative_to(tmp_path)
    found = LocalCopy.find(copy)
    assert found is not None
    assert found.address == "s3://bucket/models/taxi"
    assert open_cache("s3://bucket/models/taxi") == copy
    assert open_cache("s3://bucket/models/shop") != copy
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:2")
    assert open_cache("s3://bucket/models/taxi") != copy


def test_without_a_setting_the_copies_are_in_the_cache_of_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    copy = Path(open_cache("s3://bucket/models/taxi"))
    assert copy.parent == tmp_path / ".cache/served-models"
