"""A store with faults, and two machines with a copy of one serving directory."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import make_machine
from object_store import Bucket


@pytest.fixture
def address(bucket: Bucket) -> str:
    return bucket.url("models/taxi")


@pytest.fixture
def one(address: str, tmp_path: Path) -> str:
    return make_machine(tmp_path / "one/serving", address)


@pytest.fixture
def two(address: str, tmp_path: Path) -> str:
    return make_machine(tmp_path / "two/serving", address)
