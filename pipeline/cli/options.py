"""Options that several commands have, and the console on which they print."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.core.files import NO_ADDRESS, is_remote

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH = 200
"""Characters of a line in a pipe, which has no width of its own: enough for every table."""

STANDARD_OUTPUT = Path("-")
"""The value of `--json` that stands for standard output."""


class _LocalPath(click.Path):
    """A path on this machine: an address such as s3://bucket would become a directory `s3:`."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> Any:
        if is_remote(str(value)):
            self.fail(NO_ADDRESS.format(value), parameter, context)
        return super().convert(value, parameter, context)


class PathOrAddress(click.Path):
    """A path on this machine as a Path, or an address of an object store as text."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> Any:
        if not is_remote(str(value)):
            return super().convert(value, parameter, context)
        from pipeline.core.errors import ConfigError
        from pipeline.core.stores.address import parse_address

        try:
            return str(parse_address(str(value)))
        except ConfigError as error:
            self.fail(f"{error}: {error.hint}", parameter, context)


LOCAL_PATH = _LocalPath(path_type=Path)
"""The type of every option that names a file or directory."""

CONFIG = click.option(
    "--config",
    "configs",
    required=True,
    multiple=True,
    type=LOCAL_PATH,
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
    type=PathOrAddress(path_type=Path),
    metavar="DIR|ADDRESS",
    help="Directory for everything the run writes, on a file system or an object store (default: "
    "runs/NAME).",
)
JSON = click.option(
    "--json",
    "json_path",
    type=LOCAL_PATH,
    metavar="FILE",
    help="File to write a summary of the run to, as JSON. With - it goes to standard output, and "
    "the report to standard error.",
)
KEEP_WARM = click.option(
    "--keep-warm",
    type=click.IntRange(1, 1440),
    metavar="MINUTES",
    envvar="PIPELINE_KEEP_WARM",
    show_envvar=True,
    help="Keep a process that has imported TensorFlow, TFX and Beam for so many minutes after this "
    "run. The next run with this option starts seconds sooner.",
)


def report_console(stderr: bool = False) -> Console:
    """Returns a console on standard output or error; a pipe is wide enough for every table."""
    from rich.console import Console

    console = Console(highlight=False, stderr=stderr)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console
