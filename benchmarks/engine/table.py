"""The table of the runs: simulated taxi trips in several files, since a worker takes a file."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.measuring.process import run_command
from benchmarks.measuring.workload import PYTHON

FILES = 16


def generate_files(directory: Path, rows: int, seed: int, files: int = FILES) -> Path:
    """Returns the directory of the table's CSV files; existing files are used again.

    Each file has a seed of its own: otherwise all files would hold the same rows.
    """
    target = directory / f"trips-{rows}-{seed}-in-{files}"
    if not target.exists():
        partial = target.with_suffix(".part")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for number, share in enumerate(divide_rows(rows, files)):
            command = [PYTHON, "data/chicago_taxi/generate.py", "--rows", str(share)]
            command += ["--seed", str(seed * files + number)]
            command += ["--output", str(partial / f"{number:02}.csv")]
            run_command(command, directory / "table.log")
        partial.rename(target)
    return target


def divide_rows(rows: int, files: int) -> list[int]:
    """Returns the rows of each file: equally many, the first files one more."""
    share, more = divmod(rows, files)
    return [share + (number < more) for number in range(files)]
