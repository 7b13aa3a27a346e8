"""The group of all commands: turns errors into messages and exit codes."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, NoReturn

import click


class _Commands(click.Group):
    """Turns failures that the user can fix into a message and an exit code."""

    def invoke(self, context: click.Context) -> Any:
        from pipeline.core.errors import PipelineError

        try:
            return super().invoke(context)
        except PipelineError as error:
            _fail(error)
        except OSError as error:
            from pipeline.core.error_causes import disk_full_error, is_disk_full

            if is_disk_full(error):
                _fail(disk_full_error(error.filename or Path.cwd()))
            _fail(PipelineError(f"{error.filename or 'the disk'}: {error.strerror}"))
        except KeyboardInterrupt:
            sys.exit(130)


def _fail(error: Any) -> NoReturn:
    from rich.console import Console
    from rich.text import Text

    from pipeline.core.text import printable

    console = Console(stderr=True)
    for part in error.parts:
        message = Text.assemble(("Error: ", "bold red"), printable(part.message))
        console.print(message, soft_wrap=True)
        if part.hint:
            console.print(Text(f"  {printable(part.hint)}"), soft_wrap=True)
    sys.exit(error.exit_code)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """From a table to a validated, trained, evaluated and pushed model."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names of files need not be UTF-8, and the terminal may have another encoding.
            stream.reconfigure(errors="backslashreplace")
