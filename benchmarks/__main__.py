"""`python -m benchmarks`: measures, prints and writes, and fails where something does not hold."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import click
from rich.console import Console

from benchmarks.chart import write_chart
from benchmarks.plan import Plan, carry_out, grow
from benchmarks.process import ROOT
from benchmarks.report import print_results, write_json
from benchmarks.results import Results
from benchmarks.scaling import check_scaling, measure_scaling, scaling_table


@click.command(context_settings={"show_default": True})
@click.option("--rows", type=click.IntRange(20_000), default=1_000_000, help="Trips to generate.")
@click.option("--seed", default=0, help="Which trips.")
@click.option("--repeats", type=click.IntRange(1), help="Pairs of runs; by default by the size.")
@click.option("--growth", is_flag=True, help="Measure only how ours grows, to 10 million rows.")
@click.option("--scaling", is_flag=True, help="Measure only fits of ours by one and two workers.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/bench",
    help="Where the table, the runs and the results go.",
)
@click.option("--chart", type=click.Path(path_type=Path), help="Where the chart goes instead.")
def main(
    rows: int, seed: int, repeats: int | None, growth: bool, scaling: bool, directory: Path,
    chart: Path | None,
) -> None:  # fmt: skip
    """Measures this project against TFX as it comes."""
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    plan = Plan.for_rows(rows, seed, repeats)
    results = Results(facts=_facts(plan))
    if growth:
        grow(directory, seed, results, console.print)
    elif scaling:
        results.figures = measure_scaling(directory, rows, seed)
        results.checks += check_scaling(results.figures)
        console.print(scaling_table(results.figures))
    else:
        carry_out(plan, directory, results, console.print)
    print_results(results, console)
    name = "growth" if growth else "scaling" if scaling else "results"
    path = directory / f"{name}.json"
    write_json(results, path)
    if not (growth or scaling):
        write_chart(results, chart or directory / "results.svg")
    console.print(f"Wrote {path}", soft_wrap=True)
    sys.exit(1 if results.broken else 0)


def _facts(plan: Plan) -> dict[str, object]:
    return {
        "rows": plan.rows,
        "seed": plan.seed,
        "repeats": plan.repeats,
        "cpus": len(os.sched_getaffinity(0)),
        "machine": platform.machine(),
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
