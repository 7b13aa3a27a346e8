"""One run at a time owns a backup, whichever process or pod it comes from."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipeline.core import ownership
from pipeline.core.errors import ConfigError
from pipeline.core.files import is_lock_held
from pipeline.core.ownership import TRAINING, lock_path, own_backup, own_backup_if_free

_OWNER = """
import subprocess, sys, time
from pipeline.core.ownership import TRAINING, own_backup
with own_backup(sys.argv[1], "key", TRAINING) as lock:
    if len(sys.argv) > 2:
        child = subprocess.Popen(["sleep", sys.argv[2]], pass_fds=[lock])
        print(child.pid, flush=True)
    print("owned", flush=True)
    time.sleep(600)
"""


@contextmanager
def owner(backups: Path, *arguments: str, pod: str = "") -> Iterator[subprocess.Popen[str]]:
    """Starts a process that owns the backup `key` until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(backups), *arguments],
        env={**os.environ, "PYTHONPATH": os.getcwd(), **({"KFP_POD_NAME": pod} if pod else {})},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        if not arguments:
            assert process.stdout.readline() == "owned\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "PATIENCE_SECONDS", 0.2)


def test_a_second_run_is_refused_with_the_owner_of_the_backup(
    tmp_path: Path, impatient: None, caplog: pytest.LogCaptureFixture
) -> None:
    with owner(tmp_path / "backups", pod="taxi-7"):
        message = r"pod taxi-7 \(since \d{4}-\d\d-\d\d \d\d:\d\d UTC\) is training the same model"
        with (
            pytest.raises(ConfigError, match=message) as caught,
            own_backup(tmp_path / "backups", "key", TRAINING),
        ):
            pass
        assert "wait until its run has ended, or end its run" in caught.value.hint
        assert "waiting at most 0.2 s" in caplog.text
        with own_backup(tmp_path / "backups", "another key", TRAINING):
            pass


def test_outside_of_pods_the_owner_is_a_process_of_a_host(tmp_path: Path, impatient: None) -> None:
    with (
        owner(tmp_path / "backups") as process,
        pytest.raises(ConfigError, match=rf"^process {process.pid} on "),
        own_backup(tmp_path / "backups", "key", TRAINING),
    ):
        pass


def test_a_killed_owner_owns_nothing(tmp_path: Path, impatient: None) -> None:
    with owner(tmp_path / "backups") as process:
        process.kill()
        process.wait()
        with own_backup(tmp_path / "backups", "key", TRAINING):
            pass


def test_the_child_of_a_killed_owner_prolongs_the_ownership(
    tmp_path: Path, impatient: None
) -> None:
    with owner(tmp_path / "backups", "600") as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert process.stdout.readline() == "owned\n"
        process.kill()
        process.wait()
        with own_backup_if_free(tmp_path / "backups", "key") as is_owned:
            assert not is_owned
        os.kill(child, signal.SIGKILL)
        with own_backup(tmp_path / "backups", "key", TRAINING):
            pass


def test_a_run_waits_for_an_owner_that_ends_in_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The lock of a lost node stays on the file server until its lease is over."""
    caplog.set_level(logging.WARNING)
    with owner(tmp_path / "backups") as process:
        threading.Timer(1.0, process.kill).start()
        began = time.monotonic()
        with own_backup(tmp_path / "backups", "key", TRAINING):
            assert time.monotonic() - began > 0.5
    assert caplog.text.count("waiting at most 120 s") == 1


def test_the_lock_is_released_when_its_work_ends_or_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), own_backup(tmp_path / "backups", "key", TRAINING):
        raise KeyboardInterrupt
    with own_backup_if_free(tmp_path / "backups", "key") as is_owned:
        assert is_owned
    with own_backup_if_free(tmp_path / "backups", "key") as is_owned:
        assert is_owned


def test_no_lock_lies_among_the_backups(tmp_path: Path) -> None:
    with own_backup(tmp_path / "backups", "key", TRAINING):
        assert [path.name for path in tmp_path.iterdir()] == ["locks"]


def test_an_owner_whose_disk_had_no_room_for_its_name_owns_the_backup(
    tmp_path: Path, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", fail)
    with (
        own_backup(tmp_path / "backups", "key", TRAINING),
        pytest.raises(ConfigError, match=r"^another run is training the same model"),
        own_backup(tmp_path / "backups", "key", TRAINING),
    ):
        pass


def test_a_file_system_without_locks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    with (
        pytest.raises(ConfigError, match="locks: files cannot be locked: No locks available"),
        own_backup(tmp_path / "backups", "key", TRAINING),
    ):
        pass


def test_a_place_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "locks").touch()
    with (
        pytest.raises(ConfigError, match="locks: files cannot be written"),
        own_backup(tmp_path / "backups", "key", TRAINING),
    ):
        pass


def test_others_see_whether_a_backup_has_an_owner(tmp_path: Path) -> None:
    path = lock_path(tmp_path / "backups", "key")
    assert is_lock_held(path) is None
    with owner(tmp_path / "backups"):
        assert is_lock_held(path) is True
    assert is_lock_held(path) is False
    with own_backup_if_free(tmp_path / "backups", "key") as is_free:
        assert is_free
