"""TFRecords that do not fit in memory: parsed once, onto a disk that has room for them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from accidents import small_disk

from trainer_module.input.packed import Columns, Layout
from trainer_module.input.snapshot import Snapshot, try_snapshot

_LAYOUT = Layout(
    {
        "ids": tf.io.FixedLenFeature([1], tf.int64),
        "numbers": tf.io.FixedLenFeature([3], tf.float32),
        "label": tf.io.FixedLenFeature([1], tf.float32),
    }
)
_ROW_BYTES = 8 + 4 * 4


def pieces(*sizes: int) -> Iterator[Columns]:
    """Rows counted through all of the pieces."""
    stop = 0
    for size in sizes:
        rows = np.arange(stop, stop := stop + size).reshape(-1, 1)
        numbers = np.hstack([rows, rows + 0.25, rows + 0.5]).astype(np.float32)
        yield {"ids": rows, "numbers": numbers, "label": -rows.astype(np.float32)}


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary files go to a disk of 1 MiB."""
    with small_disk(tmp_path / "disk", megabytes=1):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "disk"))
        yield tmp_path / "disk"


def free_bytes(disk: Path) -> int:
    state = os.statvfs(disk)
    return state.f_bavail * state.f_frsize


def test_blocks_hold_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainer_module.input.snapshot._BLOCK_BYTES", 10 * _ROW_BYTES)
    snapshot = Snapshot(_LAYOUT, pieces(7, 1, 17))
    assert [block.row_count for block in snapshot.blocks] == [10, 10, 5]
    read = _LAYOUT.views(snapshot.read(snapshot.blocks[::2]))
    rows = [*range(10), *range(20, 25)]
    assert read["ids"][:, 0].tolist() == rows
    assert read["label"][:, 0].tolist() == [-row for row in rows]
    assert read["numbers"].tolist() == [[row, row + 0.25, row + 0.5] for row in rows]


def test_it_is_gone_with_the_last_who_reads_it(disk: Path) -> None:
    before = free_bytes(disk)
    snapshot = try_snapshot(_LAYOUT, pieces(10_000), 10_000 * _ROW_BYTES)
    assert snapshot is not None
    assert list(disk.iterdir()) == []
    assert free_bytes(disk) <= before - 10_000 * _ROW_BYTES
    del snapshot
    assert free_bytes(disk) == before


def test_half_of_the_disk_is_left_to_others(disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert try_snapshot(_LAYOUT, pieces(30_000), 30_000 * _ROW_BYTES) is None
    assert f"{disk} has no room for 1 MB of parsed examples" in caplog.text


def test_a_disk_that_fills_up_meanwhile(disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = free_bytes(disk)
    too_many = pieces(30_000, 30_000)
    assert try_snapshot(_LAYOUT, too_many, size=before // 2) is None
    assert "they are parsed in each epoch" in caplog.text
    assert free_bytes(disk) == before


def test_another_error_is_not_taken_for_a_full_disk() -> None:
    def unreadable() -> Iterator[Columns]:
        yield from pieces(3)
        raise OSError("the records are damaged")

    with pytest.raises(OSError, match="damaged"):
        try_snapshot(_LAYOUT, unreadable(), 3 * _ROW_BYTES)
