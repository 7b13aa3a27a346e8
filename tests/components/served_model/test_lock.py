"""The lock of a serving directory."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from machines import list_keys, make_machine, push
from object_store import Bucket

from components.served_model.lock import lock_serving
from components.served_model.pointer import read_pointer
from pipeline.core.errors import ConfigError

# A forked child already has the modules of this process.
_PROCESSES = multiprocessing.get_context("fork")


def _write_under_lock(serving: str) -> None:
    with lock_serving(serving):
        Path(serving, "written").touch()


def test_a_second_process_waits_until_the_first_releases_the_lock(tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    with lock_serving(str(serving)):
        process = _PROCESSES.Process(target=_write_under_lock, args=(str(serving),))
        process.start()
        process.join(0.3)
        assert process.is_alive()
        assert not (serving / "written").exists()
    process.join()
    assert (serving / "written").exists()


def test_a_failure_releases_the_lock(tmp_path: Path) -> None:
    with pytest.raises(KeyError), lock_serving(str(tmp_path)):
        raise KeyError
    process = _PROCESSES.Process(target=_write_under_lock, args=(str(tmp_path),))
    process.start()
    process.join()
    assert (tmp_path / "written").exists()


def test_a_path_that_cannot_be_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match=r"^serving\.directory: .*file/serving cannot be written"),
        lock_serving(str(tmp_path / "file/serving")),
    ):
        pass


def test_a_copy_publishes_what_was_changed_under_the_lock(tmp_path: Path, bucket: Bucket) -> None:
    address = bucket.url("models/taxi")
    one = make_machine(tmp_path / "one/serving", address)
    version = push(one, "a")
    assert f"{version}/saved_model.pb" in list_keys(address)
    two = make_machine(tmp_path / "two/serving", address)
    with lock_serving(two):
        served = read_pointer(two)
    assert served is not None
    assert served.version == version
