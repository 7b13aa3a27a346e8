"""Commands for the user to copy: they name the environment that is at work, active or not."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path


def pipeline_command(*arguments: str | Path) -> str:
    """`python -m pipeline ...` with this interpreter, quoted for a shell."""
    return shlex.join([installed("python"), "-m", "pipeline", *map(str, arguments)])


def assignment(key: str, value: object) -> str:
    """`--set KEY=VALUE`, quoted for a shell; the key as `dotted` gives it."""
    return f"--set {shlex.quote(f'{key}={value}')}"


def installed(tool: str) -> str:
    """The path of a program of this environment; relative where it is below the directory."""
    path = Path(sys.executable)
    path = path if tool == "python" else path.with_name(tool)
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
