"""A compiled file, a server and container tools for the tests of `deploy`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from deploy_command import install_tool, load_taxi_config
from fake_kubeflow import FakeKubeflow

from pipeline.runners.kubeflow.client.package import compile_to, read_package


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("package") / "taxi.yaml"
    compile_to(path, load_taxi_config())
    return path


@pytest.fixture(scope="session")
def tfx_version(package: Path) -> str:
    return read_package(package).tfx_version


@pytest.fixture
def kubeflow() -> Iterator[FakeKubeflow]:
    with FakeKubeflow().serving() as server:
        yield server


@pytest.fixture(autouse=True)
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hides the machine's container tools behind tools that know no image; returns their folder."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("skopeo", "podman", "docker"):
        install_tool(folder, name, None)
    return folder
