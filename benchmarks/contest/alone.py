"""Trains a model without evaluating it: `python -m benchmarks.contest.alone SPEC`."""

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

_LAST = Node.BASELINE
"""TFX cuts the DAG here, and not at the Trainer, which this node waits for without its outputs."""


def train_alone(spec: dict[str, Any]) -> None:
    """Runs the DAG of `config` as far as the Trainer.

    Raises:
      RuntimeError: a component failed.
    """
    config = load_config([Path(spec["config"])], spec["assignments"])
    workspace = Workspace.of(config, Path(spec["output"]))
    summary = run_local(config, workspace, Display(Console(highlight=False)), _LAST)
    if summary.error:
        raise RuntimeError(f"{summary.error.message}; log: {summary.log}")


if __name__ == "__main__":
    write_answer(sys.argv[1], train_alone)
