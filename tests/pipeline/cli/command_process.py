"""Runs a command of the command line as a process."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def command(*arguments: str, cwd: Path = ROOT) -> tuple[int, str]:
    process = subprocess.run(
        [sys.executable, "-m", "pipeline", *arguments], cwd=cwd, capture_output=True, text=True
    )
    return process.returncode, process.stdout + process.stderr
