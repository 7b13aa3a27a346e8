"""`python -m benchmarks.quality`: compares models of `init` and `run` with boosted trees.

The commands run as a user calls them. The served model competes on the same rows with its own
network and trees alone, and with the rivals in `contest/rivals/roster.py`.

A match is one table with one seed. Each finished match is a line in the file `--matches`, and is
not played again. Matches of any order, on several days or in several processes at once, thus add up
to the whole comparison.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from benchmarks.console import make_console
from benchmarks.contest.catalogue import QUICK, TABLES, Table
from benchmarks.contest.match import BusyError, Plan, play_match, remove_rows
from benchmarks.contest.purposes import REPORTING, TUNING
from benchmarks.contest.records.code import describe_code
from benchmarks.contest.records.lines import (
    Line,
    OtherPlanError,
    append_line,
    check_plan,
    make_line,
    read_lines,
)
from benchmarks.contest.records.page import LINES, PAGE, make_page
from benchmarks.contest.results import group_tables
from benchmarks.contest.showing import list_failures, make_grids
from benchmarks.measuring.process import ROOT, CommandError
from pipeline.core.files import write_text_atomically


@dataclass(frozen=True)
class _Campaign:
    """The matches to play, and where they are kept."""

    directory: Path
    matches: Path
    plan: Plan
    console: Console

    def play(self, table: Table, seed: int, again: bool) -> bool:
        """Plays a match unless it is kept; returns False if it failed.

        A kept match counts whatever its code, unless matches of other code are to be played again.
        """
        match = f"{table.name}, seed {seed}"
        kept = _find_line(read_lines(self.matches), table, seed)
        if kept and (not again or kept["commit"] == self.plan.commit):
            self.console.print(f"{match}: kept, of commit {kept['commit']}")
            return True
        try:
            found = play_match(table, seed, self.directory, self.plan)
        except BusyError as error:
            self.console.print(f"{match}: left out: {error}")
            return True
        except CommandError as error:
            self.console.print(f"{match}: failed: {error}")
            return False
        if describe_code() != self.plan.commit:
            self.console.print(f"{match}: not kept: the code has changed meanwhile")
            return False
        append_line(self.matches, make_line(table, seed, self.plan, found))
        remove_rows(table, seed, self.directory)
        self.console.print(f"{match}: played")
        return True


@click.command(context_settings={"show_default": True})
@click.option("--table", "names", multiple=True, help="Measure only this table; repeatable.")
@click.option(
    "--for",
    "purpose",
    type=click.Choice([TUNING, REPORTING]),
    help="Measure only the tables that may settle a recipe, or only the others.",
)
@click.option("--seeds", type=click.IntRange(1), default=3, help="How often each table is split.")
@click.option(
    "--seed",
    "chosen_seeds",
    type=click.IntRange(0),
    multiple=True,
    help="Measure only this seed, such as 0, 1 or 2; repeatable, in place of --seeds.",
)
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
    help="Directory for tables, runs and predictions.",
)
@click.option(
    "--matches",
    type=click.Path(path_type=Path),
    show_default="matches.jsonl in the directory",
    help="File with a line for each finished match; a match that has one is not played.",
)
@click.option("--again", is_flag=True, help="Play matches again that other code has played.")
@click.option("--write", is_flag=True, help=f"Only write docs/quality.md from {LINES.name}.")
def main(
    names: tuple[str, ...],
    purpose: str | None,
    seeds: int,
    chosen_seeds: tuple[int, ...],
    quick: bool,
    assignments: tuple[str, ...],
    budget: float | None,
    threads: int,
    directory: Path,
    matches: Path | None,
    again: bool,
    write: bool,
) -> None:
    """Compares the models that `init` proposes with boosted trees."""
    if write:
        _write_page()
        return
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    plan = Plan(assignments, budget, threads, describe_code())
    path = (matches or directory / "matches.jsonl").absolute()
    campaign = _Campaign(directory, path, plan, make_console())
    try:
        check_plan(read_lines(path), plan)
    except OtherPlanError as error:
        raise click.UsageError(f"{path}: {error}; choose another --matches") from error
    tables = [QUICK] if quick else _choose_tables(names, purpose)
    numbers = [0] if quick else list(dict.fromkeys(chosen_seeds)) or list(range(seeds))
    played = [campaign.play(table, seed, again) for table in tables for seed in numbers]
    _show(path, tables, campaign.console)
    sys.exit(0 if all(played) else 1)


def _choose_tables(names: Sequence[str], purpose: str | None) -> list[Table]:
    known = {table.name: table for table in TABLES}
    if unknown := set(names) - set(known):
        raise click.BadParameter(
            f"unknown table {', '.join(sorted(unknown))}; known tables: {', '.join(known)}"
        )
    chosen = [table for table in TABLES if not names or table.name in names]
    return [table for table in chosen if purpose in (None, table.purpose)]


def _find_line(lines: Sequence[Line], table: Table, seed: int) -> Line | None:
    wanted = (table.name, seed)
    return next((line for line in lines if (line["table"], line["seed"]) == wanted), None)


def _show(path: Path, tables: Sequence[Table], console: Console) -> None:
    """Prints the results of the tables, and writes those of all tables as Markdown."""
    lines = read_lines(path)
    for grid in make_grids(group_tables(lines, tables)):
        console.print(grid.to_rich(), "")
    results = group_tables(lines, TABLES)
    for failure in list_failures(group_tables(lines, tables)):
        console.print(failure)
    markdown = "\n".join(grid.to_markdown() for grid in make_grids(results))
    write_text_atomically(path.with_suffix(".md"), markdown, durable=True)
    console.print(f"Wrote {path.with_suffix('.md')}", soft_wrap=True)


def _write_page() -> None:
    page = make_page(PAGE.read_text(encoding="utf-8"), read_lines(LINES))
    write_text_atomically(PAGE, page, durable=True)


if __name__ == "__main__":
    main()
