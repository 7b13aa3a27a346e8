"""Prints past runs as a table: as many columns as a terminal holds, all of them in a pipe."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.config import METRICS
from pipeline.core.statuses import Status, Tone
from pipeline.core.text import printable, shorten
from pipeline.runners.history.past_runs import PastRun
from pipeline.terminal.formatting import format_metric

_MOST_METRICS = 3
"""Columns of metrics; `--json` has all."""
_LONGEST_REASON = 120
"""Characters of the reason on a terminal: two or three lines of its column."""
_NARROWEST_REASON = 30
"""Characters of a line of the reason, the only column that may have several lines."""
_GAP = 2
"""Characters between two columns."""
STYLES: Mapping[Tone, str] = {"good": "green", "warn": "yellow", "bad": "red", "off": "cyan"}
"""The colour of each tone in a terminal."""


@dataclass(frozen=True)
class _Column:
    title: str
    cell: Callable[[PastRun], str]
    rank: int
    """A narrow terminal leaves out the columns with the highest ranks."""
    is_number: bool = False
    may_wrap: bool = False


def print_runs(runs: Sequence[PastRun], console: Console) -> None:
    """Prints a table of the runs. In a pipe each run is one line, and nothing is cut."""
    is_pipe = not console.is_terminal
    columns = [*_columns(list_deciding_metrics(runs), is_pipe)]
    # A column with an empty cell in every row tells nothing.
    columns = [c for c in columns if c.rank == 0 or any(c.cell(run) for run in runs)]
    fitting = columns if is_pipe else _fit(columns, runs, console.width)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for column in fitting:
        justify = "right" if column.is_number else "left"
        wrap = column.may_wrap and not is_pipe
        table.add_column(column.title, justify=justify, no_wrap=not wrap)  # type: ignore[arg-type]
    for run in runs:
        cells = [Text(printable(column.cell(run))) for column in fitting]
        cells[1].style = STYLES[Status(run.status).tone]
        table.add_row(*cells)
    if is_pipe:
        console.width = max(console.width, _width(columns, runs, may_wrap=False))
        _print_unpadded(table, console)
    else:
        console.print(table)
    if len(fitting) < len(columns):
        console.print("A wider terminal shows more columns, --json shows all.", style="dim")


def _print_unpadded(table: Table, console: Console) -> None:
    """Prints the table without the spaces that fill its lines up to the longest one."""
    with console.capture() as capture:
        console.print(table)
    console.out("\n".join(line.rstrip() for line in capture.get().splitlines()), highlight=False)


def list_deciding_metrics(runs: Sequence[PastRun]) -> list[str]:
    """Returns the metrics to show: those with thresholds in the newest run that has metrics.

    Runs of earlier versions did not note the thresholds: of these, the metrics as they are ordered
    in METRICS.
    """
    newest = next((run for run in reversed(runs) if run.metrics), None)
    if newest is None:
        return []
    return list(newest.deciding or [m for m in METRICS if m in newest.metrics])[:_MOST_METRICS]


def _columns(metrics: Sequence[str], is_pipe: bool) -> list[_Column]:
    longest = 1_000_000 if is_pipe else _LONGEST_REASON
    return [
        _Column("run", lambda run: run.run, 0),
        _Column("status", _describe_status, 0),
        *(_metric_column(name, rank=min(i, 1) * 7 + 1) for i, name in enumerate(metrics)),
        _Column("version", lambda run: run.version or "", 2),
        _Column("served", lambda run: run.served, 3),
        _Column("when", _describe_start, 5),
        _Column("seconds", lambda run: _whole(run.seconds), 6, is_number=True),
        _Column("report", lambda run: os.path.relpath(run.report) if run.report else "", 7),
        # The last one: in a pipe, the longest reason would pad every line before what follows it.
        _Column("why", lambda run: shorten(run.why, longest), 4, may_wrap=True),
    ]


def _metric_column(name: str, rank: int) -> _Column:
    return _Column(name, lambda run: _metric(run, name), rank, is_number=True)


def _metric(run: PastRun, name: str) -> str:
    if name not in run.metrics:
        return ""
    value = run.metrics[name]
    return "undefined" if value is None else format_metric(value)


def _describe_status(run: PastRun) -> str:
    if run.component and run.status == Status.FAILED:
        return f"failed at {run.component}"
    if run.component and run.status == Status.REFUSED:
        return f"data refused by {run.component}"
    if run.status == Status.STOPPED:
        return run.status
    return f"{run.status} in {run.component}" if run.component else run.status


def _describe_start(run: PastRun) -> str:
    """Returns the minute in the time zone of this machine."""
    if run.started is None:
        return ""
    return datetime.fromisoformat(run.started).astimezone().strftime("%Y-%m-%d %H:%M")


def _whole(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:,.0f}"


def _fit(columns: Sequence[_Column], runs: Sequence[PastRun], width: int) -> list[_Column]:
    """Returns the columns that `width` holds; those of the lowest ranks come first."""
    kept: list[_Column] = []
    for column in sorted(columns, key=lambda column: column.rank):
        if column.rank == 0 or _width([*kept, column], runs) <= width:
            kept.append(column)
    return [column for column in columns if column in kept]


def _width(columns: Sequence[_Column], runs: Sequence[PastRun], may_wrap: bool = True) -> int:
    """Returns the characters of a line of the table."""

    def widest(column: _Column) -> int:
        cells = (Text(printable(column.cell(run))).cell_len for run in runs)
        longest = max([len(column.title), *cells])
        return min(longest, _NARROWEST_REASON) if may_wrap and column.may_wrap else longest

    return sum(widest(column) + _GAP for column in columns)
