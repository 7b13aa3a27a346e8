"""The files of a table of predictions."""

from pathlib import Path

import numpy as np
import pytest

from components.predictions.parts import Parts, part_name, sweep_staged
from components.predictions.table import write_part
from pipeline.config import LabelConfig


def write(directory: Path, *starts: int) -> None:
    """Writes parts of three rows each."""
    label = LabelConfig(column="y", task="regression")
    for start in starts:
        rows = np.arange(start, start + 3)
        write_part(str(directory), label, "test", rows, rows / 2, rows, None, {})


def test_rows_are_read_in_order_whichever_part_is_written_first(tmp_path: Path) -> None:
    write(tmp_path, 6, 0, 3)
    parts = Parts.find(str(tmp_path))
    assert parts.total == 9
    assert parts.read(["row"], None)["row"].to_pylist() == list(range(9))
    assert parts.read(["label"], np.array([2, 3, 8]))["label"].to_pylist() == [1, 1.5, 4]
    assert parts.read(["label"], np.array([], np.int64)).num_rows == 0


def test_names_are_in_the_order_of_the_rows() -> None:
    starts = [0, 7, 80, 900_000_000_000]
    assert sorted(map(part_name, reversed(starts))) == [*map(part_name, starts)]


def test_a_second_attempt_replaces_the_part_of_the_first(tmp_path: Path) -> None:
    write(tmp_path, 0, 3, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == [part_name(0), part_name(3)]
    assert Parts.find(str(tmp_path)).total == 6


def test_what_a_killed_write_left_is_no_part(tmp_path: Path) -> None:
    write(tmp_path, 0)
    (tmp_path / f".{part_name(3)}.12345678.part").write_bytes(b"PAR1")
    assert Parts.find(str(tmp_path)).total == 3
    sweep_staged(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [part_name(0)]


def test_a_lost_part_and_a_missing_table_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no table of predictions"):
        Parts.find(str(tmp_path / "missing"))
    write(tmp_path, 0, 6)
    with pytest.raises(ValueError, match="the table has no row 3"):
        Parts.find(str(tmp_path))
