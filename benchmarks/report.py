"""Prints results as tables, and writes them as JSON."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.results import Check, Results, Row
from pipeline.core.files import write_text_atomically


def write_json(results: Results, path: Path) -> None:
    """Writes all results to `path`, atomically."""
    content = {**dataclasses.asdict(results), "held": not results.broken}
    text = json.dumps(content, indent=1, default=str) + "\n"
    write_text_atomically(path, text, durable=True)


def print_results(results: Results, console: Console) -> None:
    """Prints the figures of both pipelines, the checks, and a red line for each failed check."""
    if results.rows:
        console.print(_make_figure_table(results.rows))
    console.print(_make_check_table(results.checks))
    for check in results.broken:
        console.print(Text(f"Failed: {check.what}: {check.found}", "bold red"))


def _make_figure_table(rows: list[Row]) -> Table:
    table = Table("", box=None)
    for heading in ("stock", "ours", "unit", "stock/ours", "at least"):
        table.add_column(heading, justify="right")
    for row in rows:
        wanted = "" if row.at_least is None else f"{row.at_least:g}"
        figures = (_short(row.stock), _short(row.ours), row.unit, f"{row.ratio:.2f}", wanted)
        table.add_row(row.what, *figures)
    return table


def _make_check_table(checks: list[Check]) -> Table:
    table = Table("check", "found", "passed", box=None)
    for check in checks:
        word = Text("yes") if check.held else Text("NO", "bold red")
        table.add_row(check.what, check.found, word)
    return table


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
