"""Measures the speed of training with one and two workers, and the cost of supervision.

Each worker has a core of its own, as it would have a machine of its own. A step of two workers
consists of computing, which is the step of one worker on half of the rows, of exchanging, which is
the bare addition of as many numbers as the model has weights, and of waiting, which is the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.measuring.runs import rerun_ours
from benchmarks.measuring.workload import Workload, generate_table
from benchmarks.results import Check
from benchmarks.spec import run_part
from pipeline.core.text import counted

WORKERS = 2
_LARGE = 200_000
"""The fewest rows that fill large batches for long enough to measure them."""
_MOST_SUPERVISION = 0.03
"""The most CPU seconds of the supervisor per second of the run. 0.002 were measured; a supervisor
that asks for statuses far too often exceeds the bound."""


def measure_scaling(directory: Path, rows: int, seed: int) -> dict[str, Any]:
    """Returns examples per second by batch size and workers, and the supervisor's CPU seconds."""
    workload = Workload(directory, generate_table(directory, rows, seed))
    # The comparison's run on the same table, if it has been measured, is found in the cache.
    run = rerun_ours(workload, directory / "ours-0")
    large = rows >= _LARGE
    spec = {
        "config": workload.config.model_dump_json(by_alias=True),
        "ours": str(run.directory),
        "directory": str(directory / "scaling-fits"),
        "workers": WORKERS,
        "batch_sizes": (256, 1024, 4096) if large else (1024,),
        "seconds": 60 if large else 10,
    }
    figures: dict[str, Any] = run_part("measuring.fits", spec, directory / "scaling-fits.json")
    return figures


def check_scaling(figures: Mapping[str, Any]) -> Iterator[Check]:
    """Yields the check that supervision takes almost no CPU time from the workers."""
    cost = figures["supervisor"]
    share = cost["cpu seconds"] / cost["seconds"]
    what = f"supervisor's CPU seconds per second, in a run of {cost['seconds']:.0f} s"
    yield Check.at_most(what, share, _MOST_SUPERVISION)


def make_scaling_table(figures: Mapping[str, Any]) -> Table:
    """Returns a table of the speeds with one and two workers, by global batch size."""
    table = Table("global batch size", box=None)
    for name in ("1 worker, examples/s", f"{counted(WORKERS, 'worker')}, examples/s", "ratio"):
        table.add_column(name, justify="right")
    for name in ("ms a step", "computing", "exchanging", "waiting"):
        table.add_column(name, justify="right")
    for size, speeds in figures["examples a second"].items():
        one, many = speeds["1"], speeds[str(WORKERS)]
        parts = split_step(float(size), many, figures["computing"][size], figures["exchanging"])
        shown = [f"{speed:,.0f}" for speed in (one, many)]
        table.add_row(size, *shown, f"{many / one:.2f}", *(f"{part:.2f}" for part in parts))
    return table


def split_step(
    batch_size: float, speed: float, computing: float, exchanging: float
) -> tuple[float, float, float, float]:
    """Returns the milliseconds of a step, of its computing and its exchanging, and the rest."""
    step = 1000 * batch_size / speed
    return step, computing, exchanging, max(step - computing - exchanging, 0.0)
