"""Whatever would make a new process different gives another fingerprint."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.runners.local.warm import fingerprint
from pipeline.runners.local.warm.fingerprint import compute_fingerprint

ROOT = Path(__file__).parents[5]
ENVIRONMENT = {"PATH": "/bin", "TF_NUM_INTRAOP_THREADS": "1"}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project with a module in each package, and an installed package."""
    for package in fingerprint.PROJECT_PACKAGES:
        (tmp_path / package / "deep").mkdir(parents=True)
        (tmp_path / package / "deep/module.py").write_text("x = 1")
    (tmp_path / "site-packages/numpy-1.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(fingerprint, "PROJECT", tmp_path)
    monkeypatch.setattr("sys.path", ["", str(tmp_path / "site-packages"), *sys.path[1:]])
    return tmp_path


def test_shells_and_compiled_modules_make_no_difference(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = compute_fingerprint(ENVIRONMENT)
    assert len(before) == 64
    (project / "pipeline/__pycache__").mkdir()
    (project / "pipeline/__pycache__/module.pyc").touch()
    (project / "site-packages/__pycache__").mkdir()
    (project / "pipeline/.#module.py").symlink_to("nowhere")
    (project / "pipeline/.#module.py").unlink()
    monkeypatch.chdir(project)
    changed = {**ENVIRONMENT, "SHLVL": "3", "PWD": "/tmp", "PIPELINE_KEEP_WARM": "3"}
    assert compute_fingerprint(changed) == before
    # A checkout may be named in PYTHONPATH, and holds outputs too.
    (project / "checkout").mkdir()
    monkeypatch.setattr("sys.path", [*sys.path, str(project / "checkout")])
    before = compute_fingerprint(ENVIRONMENT)
    (project / "checkout/output").mkdir()
    assert compute_fingerprint(ENVIRONMENT) == before
    seen = {before}
    for name in ("shop.egg-info", "sitecustomize.py", "absl/__init__.py"):
        (project / "checkout" / name).parent.mkdir(exist_ok=True)
        (project / "checkout" / name).touch()
        seen.add(compute_fingerprint(ENVIRONMENT))
    assert len(seen) == 4


def test_directories_of_modules_make_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    before = compute_fingerprint(ENVIRONMENT)
    monkeypatch.setattr("sys.path", ["elsewhere", *sys.path[1:]])
    assert compute_fingerprint(ENVIRONMENT) == before
    monkeypatch.setattr("sys.path", [*sys.path, "/lib/of/mine"])
    assert compute_fingerprint(ENVIRONMENT) != before


def test_relative_directories_of_modules_are_those_of_the_command(tmp_path: Path) -> None:
    code = f"from {fingerprint.__name__} import *; print(compute_fingerprint({{}}))"
    seen = set()
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        seen.add(
            subprocess.check_output(
                [sys.executable, "-c", code],
                cwd=tmp_path / name,
                env={"PYTHONPATH": f"lib:{ROOT}"},
            )
        )
    assert len(seen) == 2


@pytest.mark.parametrize(
    "environment",
    [{**ENVIRONMENT, "TF_NUM_INTRAOP_THREADS": "2"}, {**ENVIRONMENT, "NEW": ""}, {"PATH": "/bin"}],
)
def test_variables_make_a_difference(environment: dict[str, str]) -> None:
    assert compute_fingerprint(environment) != compute_fingerprint(ENVIRONMENT)


def test_edits_make_a_difference(project: Path) -> None:
    seen = {compute_fingerprint(ENVIRONMENT)}
    module = project / "trainer_module/deep/module.py"
    changes = [
        lambda: os.utime(module, (1, 1)),
        lambda: module.write_text("x = 2"),
        lambda: (project / "serving/new.py").touch(),
        lambda: (project / "serving/link.py").symlink_to("nowhere"),
        lambda: (project / "serving/new.py").unlink(),
        lambda: (project / "site-packages/added").mkdir(),
        lambda: (project / "site-packages/numpy-1.0.dist-info").rename(
            project / "site-packages/numpy-1.1.dist-info"
        ),
    ]
    for number, change in enumerate(changes, 2):
        change()
        seen.add(compute_fingerprint(ENVIRONMENT))
        assert len(seen) == number


def test_limits_and_rights_of_the_process_make_a_difference() -> None:
    before = compute_fingerprint(ENVIRONMENT)
    former = os.umask(0o777)
    try:
        assert compute_fingerprint(ENVIRONMENT) != before
    finally:
        os.umask(former)
    handler = signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # As nohup does with another one.
    try:
        assert compute_fingerprint(ENVIRONMENT) != before
    finally:
        signal.signal(signal.SIGUSR1, handler)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    try:
        assert compute_fingerprint(ENVIRONMENT) != before
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert compute_fingerprint(ENVIRONMENT) == before
