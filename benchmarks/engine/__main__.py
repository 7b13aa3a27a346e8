"""`python -m benchmarks.engine`: the same run on this machine and on a Flink cluster.

Each run has an empty output directory, and each cluster is new. Seconds are the wall time of a
component's whole launch; on the cluster, they include the start of the Python workers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from benchmarks.console import make_console
from benchmarks.engine.equality import check_equality
from benchmarks.engine.runs import HERE, run_everywhere
from benchmarks.engine.showing import show_runs
from benchmarks.engine.table import FILES
from benchmarks.measuring.machine import collect_machine, describe_machine
from benchmarks.measuring.process import ROOT, CommandError
from benchmarks.report import print_results, write_json
from benchmarks.results import Results
from deploy.flink.local.cluster import CLUSTER_JARS
from pipeline.core.errors import PipelineError


@click.command(context_settings={"show_default": True})
@click.option("--rows", type=click.IntRange(20_000), default=1_000_000, help="Trips to generate.")
@click.option("--seed", default=0, help="Seed of the generated trips.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/bench",
    help="Directory for the table, the runs and the results.",
)
def main(rows: int, seed: int, directory: Path) -> None:
    """Measures the data work of a run on a Flink cluster with one and with two TaskManagers."""
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    facts = collect_machine()
    try:
        # Not after minutes of work on this machine.
        CLUSTER_JARS.check_tools()
        figures = run_everywhere(directory, rows, seed)
    except PipelineError as error:
        raise click.ClickException(f"{error.message}\n  {error.hint}") from error
    except CommandError as error:
        raise click.ClickException(str(error)) from error
    results = Results(facts={**facts, "seed": seed, "files": FILES}, figures=figures)
    here = figures["places"][HERE]
    for name, place in figures["places"].items():
        if name != HERE:
            paths = Path(here["directory"]), Path(place["directory"])
            results.checks += check_equality(name, *paths, here["metrics"], place["metrics"])
    path = directory / f"engine-{rows}.json"
    write_json(results, path)
    size = figures["bytes"] / 1e6
    click.echo(f"{describe_machine(facts)} {rows:,} rows in {FILES} files, {size:,.0f} MB.\n")
    click.echo("\n".join(show_runs(figures)) + "\n")
    console = make_console()
    print_results(results, console)
    console.print(f"Wrote {path}", soft_wrap=True)
    sys.exit(1 if results.broken else 0)


if __name__ == "__main__":
    main()
