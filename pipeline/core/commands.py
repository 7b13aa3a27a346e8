"""Commands for the user to copy: they name the environment at work, whether it is active or not."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path


def pipeline_command(*arguments: str | Path) -> str:
    """Returns `python -m pipeline ...` with this interpreter, quoted for a shell."""
    return shlex.join([tool_path("python"), "-m", "pipeline", *map(str, arguments)])


def assignment(key: str, value: object) -> str:
    """Returns `--set KEY=VALUE`, quoted for a shell; `dotted` makes such keys."""
    return f"--set {shlex.quote(f'{key}={value}')}"


def tool_path(tool: str) -> str:
    """Returns the path of a program of this environment.

    The path is relative if the program lies below the working directory.
    """
    path = Path(sys.executable)
    path = path if tool == "python" else path.with_name(tool)
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
