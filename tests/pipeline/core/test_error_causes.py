"""A full disk and other failures of the machine are recognised, whichever library reports them."""

import errno
from pathlib import Path

import pytest

from pipeline.core.error_causes import (
    disk_full_error,
    is_disk_full,
    is_given_up,
    is_machine_error,
)
from pipeline.core.errors import DataError
from pipeline.runners.local.launcher import ComponentError


def write_to_a_full_device() -> None:
    try:
        with open("/dev/full", "w", encoding="utf-8") as file:
            file.write("x")
    except OSError as error:
        raise ComponentError("Trainer") from error


def test_a_full_device_is_recognised_behind_other_errors() -> None:
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
        # The message quotes a cell.
        (DataError("t.csv:7: 'No space left on device' is not a number"), False),
    ],
)
def test_a_full_disk_is_recognised_by_errno_or_message(error: Exception, expected: bool) -> None:
    assert is_disk_full(error) is expected


def test_a_transaction_that_was_given_up_is_recognised() -> None:
    lost = "Error when executing query: cannot commit - no transaction is active query: COMMIT;"
    assert is_given_up(RuntimeError(lost))
    assert not is_given_up(RuntimeError("Error when executing query: no such table: Event"))
    assert not is_given_up(DataError(f"t.csv:7: '{lost}' is not a number"))


def test_the_fullest_device_is_named(tmp_path: Path) -> None:
    # /proc has no free byte; the device of the temporary files has some.
    message = disk_full_error(tmp_path, "/proc", tmp_path / "absent").message
    assert message.startswith("no space left on the device of /proc; ")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.EIO, "Input/output error"), True),
        (RuntimeError("events.out; Permission denied"), True),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), False),
        (MemoryError(), False),
        (DataError("t.csv:7: 'Permission denied' is not a number"), False),
    ],
)
def test_a_machine_error_is_recognised_whatever_was_asked_for(
    error: Exception, expected: bool
) -> None:
    assert is_machine_error(error) is expected
