"""A serving directory that cannot be read is no empty one: nothing would be compared."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.served_model.pointer import find_record, read_pointer, write_pointer
from components.served_model.served_record import ServedRecord
from pipeline.core.errors import ConfigError
from pipeline.core.files import file_sizes

NOBODY = 65534


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """Root may read whatever its mode; somebody else may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def serving() -> Iterator[Path]:
    """A whole served model, below nothing that is closed to others, as pytest's directories are."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        for part in ("1/variables", ".reference/1/schema", ".reference/1/statistics"):
            (directory / part).mkdir(parents=True)
        (directory / "1/variables/index").write_text("four")
        files = file_sizes(str(directory / "1"))
        record = ServedRecord("1", "m", "e", "s", "c", "{}", "d", "r", files=files)
        write_pointer(name, record)
        yield directory


@pytest.mark.parametrize("closed", [".", "served.json", "1", "1/variables", ".reference"])
def test_it_is_told_with_its_key(serving: Path, closed: str) -> None:
    path = serving / closed
    mode = path.stat().st_mode
    path.chmod(0)
    words = rf"^serving\.directory: {serving}.* cannot be read: "
    with without_rights(), pytest.raises(ConfigError, match=words):
        find_record(str(serving), "reference", "other")
    path.chmod(mode)
    assert find_record(str(serving), "reference", "other") is not None


def test_nothing_there_is_nothing_served(serving: Path) -> None:
    assert read_pointer(str(serving / "absent")) is None
    (serving / "served.json").unlink()
    with without_rights():
        assert read_pointer(str(serving)) is None


def test_a_pointer_of_other_bytes_is_damaged(serving: Path) -> None:
    (serving / "served.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"served\.json: damaged"):
        read_pointer(str(serving))
