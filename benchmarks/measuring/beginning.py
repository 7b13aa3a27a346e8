"""Runs the first components of a pipeline: `python -m benchmarks.measuring.beginning SPEC`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.spec import write_answer
from pipeline.config import load_config
from pipeline.runners.local.run import run_local
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.display import Display


def run_beginning(spec: dict[str, Any]) -> None:
    """Runs the DAG of `config` with `assignments` as far as the node `until`, into `output`.

    Raises:
      RuntimeError: a component failed.
    """
    config = load_config([Path(spec["config"])], spec["assignments"])
    workspace = Workspace.of(config, Path(spec["output"]))
    summary = run_local(config, workspace, Display(Console(highlight=False)), spec["until"])
    if summary.error:
        raise RuntimeError(f"{summary.error.message}; log: {summary.log}")


if __name__ == "__main__":
    write_answer(sys.argv[1], run_beginning)
