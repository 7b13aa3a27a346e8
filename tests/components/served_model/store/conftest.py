"""A store with faults, and two machines with a copy of one serving directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from faulty_server import FaultyServer
from machines import make_machine
from object_store import Bucket

from pipeline.core.stores.client import forget_stores


@pytest.fixture
def server(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
    server = FaultyServer(bucket.endpoint)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
    forget_stores()
    yield server
    server.close()


@pytest.fixture
def address(bucket: Bucket) -> str:
    return bucket.url("models/taxi")


@pytest.fixture
def one(address: str, tmp_path: Path) -> str:
    return make_machine(tmp_path / "one/serving", address)


@pytest.fixture
def two(address: str, tmp_path: Path) -> str:
    return make_machine(tmp_path / "two/serving", address)
