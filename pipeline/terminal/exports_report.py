"""The table of exports in the report on a run."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from pipeline.core.events import ExportResult
from pipeline.core.text import printable
from pipeline.terminal.formatting import format_metric

_VERDICTS = {True: "passed", False: "failed", None: ""}


def print_exports(
    exports: Sequence[ExportResult], deciding: Sequence[str], console: Console
) -> None:
    """Prints the exports as a table, and below it why exports failed.

    Args:
      exports: the exports, and the models that they are compared with.
      deciding: the metrics to show.
      console: where to print.
    """
    table = Table(
        "export", "", "size", "gzip", "1 row", "1,024 rows", "difference", *deciding, box=None
    )
    for export in exports:
        table.add_row(*_describe(export, deciding))
    console.print(table)
    for export in exports:
        for reason in export.reasons:
            failed = Text(printable(f"{export.name} failed: {reason}"), style="yellow")
            console.print(failed, soft_wrap=True)


def _describe(export: ExportResult, deciding: Sequence[str]) -> list[str]:
    return [
        export.name,
        _VERDICTS[export.passed],
        *("" if size is None else decimal(size) for size in (export.bytes, export.gzip_bytes)),
        *(_describe_time(export.milliseconds.get(rows)) for rows in ("1", "1024")),
        format_metric(export.max_difference),
        *(format_metric(export.metrics.get(metric)) for metric in deciding),
    ]


def _describe_time(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.2g} ms"
