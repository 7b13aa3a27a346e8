"""The taxi model that the benchmarks of serving and of predictions share."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.measuring.process import run_command


def train_taxi(directory: Path) -> Path:
    """Trains and pushes the taxi model unless that is done; returns the output directory."""
    output = directory / "taxi"
    if not (output / "serving").exists():
        command = [sys.executable, "-m", "pipeline", "run", "--config", "configs/taxi.yaml"]
        run_command([*command, "--output", str(output)], directory / "run.log")
    return output
