"""`python -m benchmarks`: measures, prints and writes results; exits with 1 if a check fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks.chart import write_chart
from benchmarks.console import make_console
from benchmarks.measuring.machine import collect_machine, describe_machine
from benchmarks.measuring.process import ROOT
from benchmarks.plan import Plan, run_growth, run_plan
from benchmarks.report import print_results, write_json
from benchmarks.results import Check, Results
from benchmarks.scaling.goals import check_goals, check_supervisor
from benchmarks.scaling.measure import LARGE, WORKERS, measure_scaling
from benchmarks.scaling.showing import show_scaling


@click.command(context_settings={"show_default": True})
@click.option("--rows", type=click.IntRange(20_000), default=1_000_000, help="Trips to generate.")
@click.option("--seed", default=0, help="Seed of the generated trips.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    help="Pairs of runs; default: 1, below a million rows 3.",
)
@click.option("--growth", is_flag=True, help="Only measure this project with up to 10M rows.")
@click.option("--scaling", is_flag=True, help="Only measure fits with one and with two workers.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/bench",
    help="Directory for the table, the runs and the results.",
)
@click.option(
    "--chart",
    type=click.Path(path_type=Path),
    help="File for the chart; by default results.svg in the directory.",
)
def main(
    rows: int, seed: int, repeats: int | None, growth: bool, scaling: bool, directory: Path,
    chart: Path | None,
) -> None:  # fmt: skip
    """Compares this project with TFX's own components."""
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    console = make_console()
    plan = Plan.for_rows(rows, seed, repeats)
    results = Results(facts=_collect_facts(plan))
    if growth:
        run_growth(directory, seed, results, console.print)
    elif scaling:
        results.figures = measure_scaling(directory, rows, seed)
        results.checks += _check_scaling(results.figures, rows)
        click.echo(f"{describe_machine(results.facts)} {rows:,} rows.\n")
        click.echo("\n".join(show_scaling(results.figures)) + "\n")
    else:
        run_plan(plan, directory, results, console.print)
    print_results(results, console)
    name = "growth" if growth else "scaling" if scaling else "results"
    path = directory / f"{name}.json"
    write_json(results, path)
    if not (growth or scaling):
        write_chart(results, chart or directory / "results.svg")
    console.print(f"Wrote {path}", soft_wrap=True)
    sys.exit(1 if results.broken else 0)


def _check_scaling(figures: dict[str, Any], rows: int) -> Iterator[Check]:
    """Yields the checks; the goals need full batches, and a core for each worker."""
    yield check_supervisor(figures["supervisor"])
    if rows >= LARGE and len(os.sched_getaffinity(0)) >= WORKERS:
        yield from check_goals(figures["trainings"])


def _collect_facts(plan: Plan) -> dict[str, object]:
    """Returns the plan's settings and the machine, which the results depend on."""
    settings = {"rows": plan.rows, "seed": plan.seed, "repeats": plan.repeats}
    return {**settings, **collect_machine()}


if __name__ == "__main__":
    main()
