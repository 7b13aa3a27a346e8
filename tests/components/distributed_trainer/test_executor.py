"""The executor owns the training, starts the workers, and fails if no worker exports a model."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster
from trainer_process import start_training, train

from pipeline.core import ownership
from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.files import is_lock_held

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _functions_of_this_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = (str(Path(__file__).parent), os.getcwd())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setattr(ownership, "PATIENCE_SECONDS", 0.5)


def _wait_until(condition: Callable[[], Any], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_training_succeeds_when_a_worker_has_exported_a_model(tmp_path: Path) -> None:
    train(tmp_path, "run", "export_model")
    assert (tmp_path / "run/model/Format-Serving").is_dir()


def test_a_training_without_an_exported_model_fails(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="no worker has exported a model"):
        train(tmp_path, "run", "export_nothing")


@pytest.mark.long
def test_a_second_run_of_the_same_training_starts_no_worker(tmp_path: Path) -> None:
    backups = tmp_path / "storage/backups"
    backups.mkdir(parents=True)
    with _ended(start_training(tmp_path, "first", "wait_and_export")) as first:
        _wait_until(lambda: len(list(backups.iterdir())) == 2, first)
        workers = sorted(path.name for path in backups.iterdir())
        message = rf"^process {first.pid} on .* is training the same model"
        with pytest.raises(ConfigError, match=message):
            train(tmp_path, "second", "wait_and_export")
        assert sorted(path.name for path in backups.iterdir()) == workers
        (backups / "go").touch()
        assert first.wait(timeout=120) == 0
    assert (tmp_path / "first/model/Format-Serving").is_dir()
    train(tmp_path, "second", "wait_and_export")
    assert (tmp_path / "second/model/Format-Serving").is_dir()


@pytest.mark.long
def test_the_training_of_a_killed_trainer_has_no_owner(tmp_path: Path) -> None:
    backups = tmp_path / "storage/backups"
    backups.mkdir(parents=True)
    with _ended(start_training(tmp_path, "first", "wait_and_export")) as first:
        _wait_until(lambda: len(list(backups.iterdir())) == 2, first)
    (backups / "go").touch()
    train(tmp_path, "second", "wait_and_export")
    assert (tmp_path / "second/model/Format-Serving").is_dir()


@pytest.mark.long
def test_a_second_trainer_keeps_the_shared_copies_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first Trainer has made its Job, Kubernetes does not know that it trains."""
    storage = tmp_path / "storage"
    workers = {"volumes": [{"claim": "storage", "path": str(storage)}]}
    sections = {"workers": workers}
    (tmp_path / "examples/Split-train").mkdir(parents=True)
    (tmp_path / "examples/Split-train/file").write_text("rows")
    with FakeCluster(tmp_path) as cluster:
        monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig()))
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        cluster.add_trainer("other")
        cluster.kubelet.environment = {"PYTHONPATH": os.environ["PYTHONPATH"]}
        start = start_training(tmp_path, "first", "export_model", "trainer", True, **sections)
        with _ended(start) as first:
            _wait_until(lambda: list(storage.glob("copies/*/0/Split-train/file")), first)
            [copy] = storage.glob("copies/*/0/Split-train/file")
            inode = copy.stat().st_ino
            monkeypatch.setenv("KFP_POD_NAME", "other")
            with pytest.raises(ConfigError, match=r"^pod trainer .* is training the same model"):
                train(tmp_path, "second", "export_model", **sections)
            assert copy.stat().st_ino == inode
            assert cluster.left() == []
        train(tmp_path, "second", "export_model", **sections)
        assert cluster.left() == []
    assert (tmp_path / "second/model/Format-Serving").is_dir()
    assert not list((storage / "copies").iterdir())


def test_a_second_trainer_replaces_the_pods_that_a_killed_trainer_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = tmp_path / "storage"
    backups = storage / "backups"
    backups.mkdir(parents=True)
    sections = {"workers": {"volumes": [{"claim": "storage", "path": str(storage)}]}}
    (tmp_path / "examples").mkdir()
    with FakeCluster(tmp_path) as cluster:
        monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig()))
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        cluster.add_trainer("other")
        cluster.kubelet.environment = {"PYTHONPATH": os.environ["PYTHONPATH"]}
        start = start_training(tmp_path, "first", "wait_and_export", "trainer", **sections)
        with _ended(start) as first:
            _wait_until(lambda: len(list(backups.iterdir())) == 2, first)
            [pod, _] = cluster.workers()
            variables = {v["name"]: v["value"] for v in pod["spec"]["containers"][0]["env"]}
            assert is_lock_held(variables["PIPELINE_TRAINER_LOCK"])
        (backups / "go").touch()
        cluster.trainer["status"]["phase"] = "Failed"
        monkeypatch.setenv("KFP_POD_NAME", "other")
        train(tmp_path, "second", "wait_and_export", **sections)
        assert cluster.left() == []
    assert (tmp_path / "second/model/Format-Serving").is_dir()
