"""A full disk is known in whatever library met it, and named."""

import errno
from pathlib import Path

import pytest

from pipeline.core.error_causes import disk_full_error, is_disk_full
from pipeline.core.errors import DataError
from pipeline.runners.local.observe import ComponentError


def write_to_a_full_device() -> None:
    try:
        with open("/dev/full", "w", encoding="utf-8") as file:
            file.write("x")
    except OSError as error:
        raise ComponentError("Trainer") from error


def test_a_real_one_is_known_behind_other_errors() -> None:
    with pytest.raises(ComponentError) as caught:
        write_to_a_full_device()
    assert is_disk_full(caught.value)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RuntimeError("ckpt-1.data; No space left on device [Op:SaveV2]"), True),
        (RuntimeError("Error when executing query: database or disk is full"), True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
        (OSError(errno.EACCES, "Permission denied"), False),
        # The words of a cell.
        (DataError("t.csv:7: 'No space left on device' is not a number"), False),
    ],
)
def test_it_is_known_by_its_words(error: Exception, expected: bool) -> None:
    assert is_disk_full(error) is expected


def test_the_fullest_device_is_named(tmp_path: Path) -> None:
    # That of devices in memory without a byte, against the one with the temporary files.
    told = disk_full_error(tmp_path, "/proc", tmp_path / "absent").message
    assert told.startswith("no space left on the device of /proc; ")
