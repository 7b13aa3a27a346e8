"""A directory is locked by one run at a time, and its lock file names the processes of the run."""

import errno
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.lock import (
    add_holder,
    check_file,
    is_locked,
    lock_directory,
    make_writable,
)


def test_a_locked_directory_cannot_be_locked_again(tmp_path: Path) -> None:
    words = rf"^--output {tmp_path}: another run is at work here \(process {os.getpid()}\)"
    with lock_directory(tmp_path, "--output"):
        assert is_locked(tmp_path)
        with pytest.raises(ConfigError, match=words), lock_directory(tmp_path, "--output"):
            raise AssertionError("two runs at once")
    assert not is_locked(tmp_path)


def test_the_message_names_the_process_that_inherited_the_lock_of_a_killed_run(
    tmp_path: Path,
) -> None:
    finished = subprocess.Popen([sys.executable, "-c", ""])
    finished.wait()
    with lock_directory(tmp_path, "--output") as lock:
        (tmp_path / ".lock").write_text(str(finished.pid))
        add_holder(lock, os.getpid())
        words = f"process {finished.pid}, which has ended; process {os.getpid()} is still shutting"
        with pytest.raises(ConfigError, match=words), lock_directory(tmp_path, "--output"):
            raise AssertionError("two runs at once")


def test_asking_whether_a_directory_is_locked_changes_nothing(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    with lock_directory(tmp_path, "--output"):
        before = (tmp_path / ".lock").read_text()
        assert is_locked(tmp_path)
        assert (tmp_path / ".lock").read_text() == before


def test_a_question_at_the_same_moment_keeps_no_run_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".lock").touch()
    with (tmp_path / ".lock").open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        # The question ends while the run waits for its second attempt.
        monkeypatch.setattr(time, "sleep", lambda seconds: seconds and asking.close())
        with lock_directory(tmp_path, "--output"):
            assert is_locked(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_no_reason_to_refuse_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def write(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", write)
    with lock_directory(tmp_path, "--output") as lock:
        add_holder(lock, os.getpid())
        assert is_locked(tmp_path)
        words = r"another run is at work here \(process unknown"
        with pytest.raises(ConfigError, match=words), lock_directory(tmp_path, "--output"):
            raise AssertionError("two runs at once")
    assert not is_locked(tmp_path)


def test_a_file_system_without_locks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    words = "cannot be locked: No locks"
    with pytest.raises(ConfigError, match=words), lock_directory(tmp_path, "--output"):
        raise AssertionError("two runs could be at work here")
    assert not is_locked(tmp_path)


def test_a_directory_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file/below: cannot be written: Not a directory"):
        make_writable(tmp_path / "file" / "below", "--output")


def test_a_file_can_be_written_only_in_an_existing_directory(tmp_path: Path) -> None:
    check_file(tmp_path / "summary.json", "--json")
    with pytest.raises(ConfigError, match="is a directory"):
        check_file(tmp_path, "--json")
    with pytest.raises(ConfigError, match="absent: cannot be written: No such file"):
        check_file(tmp_path / "absent" / "summary.json", "--json")
