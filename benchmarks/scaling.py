"""How training goes with the number of workers, and what watching over them costs.

The workers of one machine share its cores: with two cores this is a rehearsal, and the ratio tells
what the exchange of gradients costs, not what a second machine would gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.results import Check
from benchmarks.runs import run_ours
from benchmarks.spec import call_part
from benchmarks.workload import Workload, generate_table
from pipeline.core.text import counted

WORKERS = (1, 2)
_LARGE = 200_000
_MOST_SUPERVISION = 0.03


def measure_scaling(directory: Path, rows: int, seed: int) -> dict[str, Any]:
    """Examples a second by batch size and workers, and the supervisor's share of a run."""
    workload = Workload(directory, generate_table(directory, rows, seed))
    run = run_ours(workload, directory / "scaling")
    large = rows >= _LARGE
    spec = {
        "config": workload.config.model_dump_json(by_alias=True),
        "ours": str(run.directory),
        "directory": str(directory / "scaling-fits"),
        "workers": WORKERS,
        "batch_sizes": (256, 1024, 4096) if large else (1024,),
        "seconds": 60 if large else 10,
    }
    found: dict[str, Any] = call_part("fits", spec, directory / "scaling-fits.json")
    return found


def check_scaling(figures: Mapping[str, Any]) -> Iterator[Check]:
    """Watching takes next to nothing from those who work."""
    took = figures["supervisor"]
    share = took["cpu seconds"] / took["seconds"]
    what = f"supervisor's CPU-seconds, of a run of {took['seconds']:.0f} s"
    yield Check.at_most(what, share, _MOST_SUPERVISION)


def scaling_table(figures: Mapping[str, Any]) -> Table:
    """The speeds side by side."""
    table = Table("global batch size", box=None)
    for workers in WORKERS:
        table.add_column(f"{counted(workers, 'worker')}, examples/s", justify="right")
    table.add_column("ratio", justify="right")
    for size, speeds in figures["examples a second"].items():
        one, *others = (speeds[str(workers)] for workers in WORKERS)
        shown = [f"{speed:,.0f}" for speed in (one, *others)]
        table.add_row(size, *shown, f"{others[-1] / one:.2f}")
    return table
