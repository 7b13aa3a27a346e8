"""Prints versions as a table, and the outcome of `rollback` and `promote` as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from components.served_model.changes import Change
from pipeline.core.text import printable
from pipeline.runners.versions.listing import Version
from pipeline.terminal.formatting import format_metric
from pipeline.terminal.metrics_table import sort_metrics

_MOST_METRICS = 3
"""Columns of metrics; `--json` has all."""
_STYLES = {"served": "green", "waiting": "cyan", "withdrawn": "red"}


def print_versions(versions: Sequence[Version], console: Console) -> None:
    """Prints a table of the versions; the reason is the only column that may have several lines."""
    metrics = _choose_metrics(versions)
    table = Table(box=None, pad_edge=False)
    for title in ("version", "state", "since"):
        table.add_column(title, no_wrap=True)
    for title in (*metrics, "size"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("run", no_wrap=True)
    table.add_column("why", overflow="fold")
    for version in versions:
        numbers = [_format(version, name) for name in metrics]
        cells = [
            Text(version.version),
            Text(version.state, style=_STYLES.get(version.state, "")),
            Text(_local_minute(version.since)),
            *map(Text, (*numbers, decimal(version.bytes))),
            *map(Text, map(printable, (version.run, version.why))),
        ]
        table.add_row(*cells)
    console.print(table)


def describe_change(change: Change) -> Iterator[str]:
    """Yields what `rollback` or `promote` did, a sentence each."""
    before = f" in place of version {change.before}" if change.before else ""
    yield f"Version {change.version} is served now{before}."
    if change.candidate:
        yield f"It waited as {change.candidate}; newer versions took that number."
    for version in change.withdrawn:
        yield (
            f"Version {version} is withdrawn: an unchanged run does not push it again. "
            f"`promote {version}` would."
        )
    yield "Model servers that watch the pointer, or models.config, load it within seconds."


def _choose_metrics(versions: Sequence[Version]) -> list[str]:
    newest = next((v for v in reversed(versions) if v.metrics), None)
    if newest is None:
        return []
    return list(newest.deciding or sort_metrics(newest.metrics))[:_MOST_METRICS]


def _format(version: Version, name: str) -> str:
    if name not in version.metrics:
        return ""
    value = version.metrics[name]
    return "undefined" if value is None else format_metric(value)


def _local_minute(time: str) -> str:
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M") if time else ""
