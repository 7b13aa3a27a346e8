"""`python -m benchmarks.quality`: compares models of `init` and `run` with boosted trees.

The commands run as a user calls them. The served model competes on the same rows with its own
network and trees alone, with LightGBM and scikit-learn's HistGradientBoosting, and with LightGBM
and CatBoost after a search of their settings. The results of a finished table and seed are kept in
the directory; remove them there to measure again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from benchmarks.console import make_console
from benchmarks.contest.catalogue import QUICK, TABLES, Table
from benchmarks.contest.match import Match, OtherSettingsError, Plan, play_match
from benchmarks.contest.purposes import REPORTING, TUNING
from benchmarks.contest.results import count_standings, summarize
from benchmarks.contest.showing import make_grids
from benchmarks.measuring.process import ROOT
from pipeline.core.files import write_text_atomically


@click.command(context_settings={"show_default": True})
@click.option("--table", "names", multiple=True, help="Measure only this table; repeatable.")
@click.option(
    "--for",
    "purpose",
    type=click.Choice([TUNING, REPORTING]),
    help="Measure only the tables that may settle a recipe, or only the others.",
)
@click.option("--seeds", type=click.IntRange(1), default=3, help="How often each table is split.")
@click.option("--quick", is_flag=True, help="Measure one small table of this project, one seed.")
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a value of the proposed configurations; repeatable.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds of each search; by default those of the Trainer.",
)
@click.option(
    "--threads",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="Threads of each search. Where other work uses the cores, 1 is fastest.",
)
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/quality",
    help="Directory for tables, predictions and results.",
)
def main(
    names: tuple[str, ...],
    purpose: str | None,
    seeds: int,
    quick: bool,
    assignments: tuple[str, ...],
    budget: float | None,
    threads: int,
    directory: Path,
) -> None:
    """Compares the models that `init` proposes with boosted trees."""
    console = make_console()
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    results, plan = [], Plan(assignments, budget, threads)
    for table in [QUICK] if quick else _choose_tables(names, purpose):
        matches = []
        for seed in range(1 if quick else seeds):
            matches.append(_play(table, seed, directory, plan))
            console.print(f"{table.name}, seed {seed}: played")
        results.append(summarize(table, matches))
    _show(results, directory, console)


def _play(table: Table, seed: int, directory: Path, plan: Plan) -> Match:
    try:
        return play_match(table, seed, directory, plan)
    except OtherSettingsError as error:
        raise click.UsageError(f"{error}; choose another --directory") from error


def _choose_tables(names: Sequence[str], purpose: str | None) -> list[Table]:
    known = {table.name: table for table in TABLES}
    if unknown := set(names) - set(known):
        raise click.BadParameter(
            f"unknown table {', '.join(sorted(unknown))}; known tables: {', '.join(known)}"
        )
    chosen = [table for table in TABLES if not names or table.name in names]
    return [table for table in chosen if purpose in (None, table.purpose)]


def _show(results: Sequence[dict[str, Any]], directory: Path, console: Console) -> None:
    """Prints the results, and writes them as JSON and as Markdown."""
    standings = count_standings(results)
    grids = make_grids(results, standings)
    for grid in grids:
        console.print(grid.to_rich(), "")
    path = directory / "results.json"
    content = {"tables": results, "standings": [asdict(standing) for standing in standings]}
    write_text_atomically(path, json.dumps(content, indent=1) + "\n", durable=True)
    markdown = "\n".join(grid.to_markdown() for grid in grids)
    write_text_atomically(path.with_suffix(".md"), markdown, durable=True)
    console.print(f"Wrote {path} and {path.with_suffix('.md').name}", soft_wrap=True)


if __name__ == "__main__":
    main()
