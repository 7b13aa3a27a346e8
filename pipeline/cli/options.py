"""Options that several commands have, and the console on which they print."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH = 200
"""Characters of a line in a pipe, which has no width of its own: enough for every table."""

CONFIG = click.option(
    "--config",
    "configs",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration file. May be repeated: later files override earlier files.",
)
ASSIGNMENTS = click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a key of the configuration, such as training.epochs=3. May be repeated.",
)
OUTPUT = click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory for everything the run writes (default: runs/NAME).",
)
JSON = click.option(
    "--json",
    "json_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write a summary of the run to, as JSON.",
)


def report_console() -> Console:
    """Returns a console on standard output; in a pipe it is wide enough for every table."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console
