"""Measures seconds and memory of this project from 100,000 to ten million rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.measuring.runs import run_ours
from benchmarks.measuring.workload import Workload, generate_table
from benchmarks.results import Check

SIZES = (100_000, 1_000_000, 10_000_000)
_MOST_BYTES = 4e9
"""The memory of a small machine or pod, which ten million rows must fit into."""
_MOST_GROWTH = 11
"""Time must grow about linearly: ten times the rows may take eleven times as long."""


def measure_growth(directory: Path, seed: int) -> Iterator[tuple[int, dict[str, float]]]:
    """Yields the number of rows, and by name the seconds of each component and of all of them, the
    peak memory and the bytes written.
    """
    for rows in SIZES:
        table = generate_table(directory, rows, seed)
        run = run_ours(Workload(directory, table), directory / f"growth-{rows}")
        # The run's files take gigabytes.
        shutil.rmtree(run.directory)
        whole = {"seconds": run.work, "peak bytes": run.process.peak_rss, "bytes": run.written}
        yield rows, {**run.components, **whole}


def check_growth(figures: Mapping[int, Mapping[str, float]]) -> Iterator[Check]:
    """Yields the checks of time and memory at ten million rows."""
    small, large = (figures[rows] for rows in SIZES[1:])
    ratio = large["seconds"] / small["seconds"]
    yield Check.at_most("seconds of 10M rows over those of 1M", ratio, _MOST_GROWTH)
    yield Check.at_most("peak memory at 10M rows, GB", large["peak bytes"] / 1e9, _MOST_BYTES / 1e9)
