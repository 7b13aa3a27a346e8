"""The places of copies in the user's directory of caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.core.stores.cache import find_cache


def test_each_address_of_each_server_has_a_place_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    place = find_cache("copies", "s3://bucket/taxi")
    assert place.parent == tmp_path / "copies"
    assert find_cache("copies", "s3://bucket/taxi") == place
    assert find_cache("copies", "s3://bucket/shop") != place
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:2")
    assert find_cache("copies", "s3://bucket/taxi") != place
