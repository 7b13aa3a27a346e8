"""The console of the benchmarks."""

from __future__ import annotations

from rich.console import Console

_WIDTH = 190
"""The least columns of a printed table: fewer would cut its cells."""


def make_console() -> Console:
    """Returns a console that is wide enough for the tables, also in a pipe.

    There, rich assumes 80 columns.
    """
    console = Console(highlight=False)
    console.width = max(console.width, _WIDTH)
    return console
