"""Runs a pipeline as far as Transform: `python -m benchmarks.scaling.prepare SPEC`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.spec import write_answer
from pipeline.config import load_config
from pipeline.core.contracts import Node
from pipeline.runners.local.run import run_local
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.display import Display


def prepare(spec: dict[str, Any]) -> str:
    """Runs the DAG of `config`, and returns the directory of the run.

    Raises:
      RuntimeError: a component failed.
    """
    config = load_config([Path(spec["config"])], spec["assignments"])
    workspace = Workspace.of(config, Path(spec["output"]))
    summary = run_local(config, workspace, Display(Console(highlight=False)), Node.TRANSFORM)
    if summary.error:
        raise RuntimeError(f"{summary.error.message}; log: {summary.log}")
    return str(spec["output"])


if __name__ == "__main__":
    write_answer(sys.argv[1], prepare)
