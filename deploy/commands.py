"""Runs the command of an engine on this machine, and tells its errors."""

from __future__ import annotations

import sys
from collections.abc import Callable

from pipeline.core.errors import PipelineError


def run_command(command: Callable[[], object]) -> None:
    """Runs the command; after an error, it prints the cause and the hint, and ends the process."""
    try:
        command()
    except PipelineError as error:
        print(f"Error: {error.message}.", file=sys.stderr)
        for line in error.hint.splitlines():
            print(f"  {line}", file=sys.stderr)
        sys.exit(error.exit_code)
