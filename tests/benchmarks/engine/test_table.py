"""The table of `make bench-engine` lies in several files with different rows."""

from pathlib import Path

import pyarrow.csv as pc

from benchmarks.engine.table import FILES, divide_rows, generate_files


def test_no_row_is_lost() -> None:
    assert divide_rows(10, 4) == [3, 3, 2, 2]
    assert divide_rows(1_000_000, FILES) == [62_500] * FILES


def test_the_files_hold_all_rows_and_are_generated_once(tmp_path: Path) -> None:
    directory = generate_files(tmp_path, 32, seed=3, files=3)
    files = sorted(directory.glob("*.csv"))
    assert [pc.read_csv(file).num_rows for file in files] == [11, 11, 10]
    assert len({file.read_bytes() for file in files}) == 3
    times = [file.stat().st_mtime_ns for file in files]
    assert generate_files(tmp_path, 32, seed=3, files=3) == directory
    assert [file.stat().st_mtime_ns for file in files] == times
