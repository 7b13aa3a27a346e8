"""Fixtures: a fake Kubernetes in which this process is the Trainer's pod."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_cluster import FakeCluster


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path) as cluster:
        monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig()))
        monkeypatch.setenv("KFP_POD_NAME", "trainer")
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        yield cluster
        assert cluster.invalid == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a directory in which each start of a worker writes a file."""
    path = tmp_path / "starts"
    path.mkdir()
    return path
