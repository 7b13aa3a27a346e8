"""`python -m benchmarks.quality`: compares models of `init` and `run` with boosted trees.

The commands run as a user calls them. The served model competes with LightGBM and scikit-learn's
HistGradientBoosting on the same rows. The results of a finished table and seed are kept in the
directory; remove them there to measure again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.table import Table as Shown

from benchmarks.console import make_console
from benchmarks.contest.catalogue import QUICK, TABLES, Table
from benchmarks.contest.match import OURS, RIVALS, Match, play_match
from benchmarks.contest.metrics import METRICS, compare
from benchmarks.measuring.process import ROOT
from pipeline.core.files import write_text_atomically


@click.command(context_settings={"show_default": True})
@click.option("--table", "names", multiple=True, help="Measure only this table; repeatable.")
@click.option("--seeds", type=click.IntRange(1), default=3, help="How often each table is split.")
@click.option("--quick", is_flag=True, help="Measure one small table of this project, one seed.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/quality",
    help="Directory for tables, predictions and results.",
)
def main(names: tuple[str, ...], seeds: int, quick: bool, directory: Path) -> None:
    """Compares the models that `init` proposes with boosted trees."""
    console = make_console()
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    chosen = [QUICK] if quick else _choose_tables(names)
    results = []
    for table in chosen:
        matches = []
        for seed in range(1 if quick else seeds):
            matches.append(play_match(table, seed, directory))
            scores = ", ".join(f"{n} {s:.4f}" for n, s in matches[-1].facts["scores"].items())
            console.print(f"{table.name}, seed {seed}: {scores}")
        results.append(_summarize(table, matches))
    console.print(_make_display(results))
    path = directory / "results.json"
    write_text_atomically(path, json.dumps(results, indent=1) + "\n", durable=True)
    console.print(f"Wrote {path}", soft_wrap=True)


def _choose_tables(names: Sequence[str]) -> list[Table]:
    known = {table.name: table for table in TABLES}
    if unknown := set(names) - set(known):
        raise click.BadParameter(
            f"unknown table {', '.join(sorted(unknown))}; known tables: {', '.join(known)}"
        )
    return [table for table in TABLES if not names or table.name in names]


def _summarize(table: Table, matches: Sequence[Match]) -> dict[str, Any]:
    """Returns the result of a table over all seeds."""
    facts, labels = matches[0].facts, [match.labels for match in matches]
    differences = {
        rival: compare(
            facts["task"],
            labels,
            [match.answers[OURS] for match in matches],
            [match.answers[rival] for match in matches],
        )
        for rival in RIVALS
    }
    return {
        "table": table.name,
        "task": facts["task"],
        "metric": METRICS[facts["task"]],
        "rows": sum(facts["rows"].values()),
        "seeds": len(matches),
        "scores": _means([match.facts["scores"] for match in matches]),
        "seconds": _means([match.facts["seconds"] for match in matches]),
        "better_than": {
            rival: {**asdict(found), "verdict": found.verdict}
            for rival, found in differences.items()
        },
        "matches": [match.facts for match in matches],
    }


def _means(several: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([one[name] for one in several])) for name in several[0]}


def _make_display(results: Sequence[dict[str, Any]]) -> Shown:
    table = Shown("table", "rows", "metric", OURS, *RIVALS, box=None)
    for heading in ("better than LightGBM by (95 %)", "", "Trainer s", "LightGBM s"):
        table.add_column(heading, justify="right")
    for result in results:
        scores, seconds = result["scores"], result["seconds"]
        found = result["better_than"]["LightGBM"]
        table.add_row(
            result["table"],
            f"{result['rows']:,}",
            result["metric"],
            *(_short(scores[name]) for name in (OURS, *RIVALS)),
            f"{_short(found['mean'])} ({_short(found['low'])} to {_short(found['high'])})",
            found["verdict"],
            f"{seconds['Trainer']:.0f}",
            f"{seconds['LightGBM']:.1f}",
        )
    return table


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


if __name__ == "__main__":
    main()
