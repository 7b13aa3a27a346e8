"""The lock of a serving directory."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from components.served_model.lock import lock_serving
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
