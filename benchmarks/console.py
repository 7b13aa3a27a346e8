"""The console of the benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from rich.console import Console

from benchmarks.results import Check

_WIDTH = 190
"""The least columns of a printed table: fewer would cut its cells."""


def make_console() -> Console:
    """Returns a console that is wide enough for the tables, also in a pipe.

    There, rich assumes 80 columns.
    """
    console = Console(highlight=False)
    console.width = max(console.width, _WIDTH)
    return console


def exit_with(checks: Sequence[Check], console: Console) -> NoReturn:
    """Prints the checks, and ends the process with exit code 0 if all were held, else with 1."""
    for result in checks:
        console.print(f"{'ok    ' if result.held else 'FAILED'} {result.what}: {result.found}")
    sys.exit(not all(result.held for result in checks))
