"""How Beam runs on this machine where the configuration leaves it open.

Beam's worker processes share the rows, but each of them first imports TensorFlow and TFX, for every
pipeline of a component anew. Below some millions of rows that costs more than it saves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pipeline.config.sections.beam import uses_local_runner
from pipeline.core.processes import available_cores

_WORKERS = "--direct_num_workers="
_ROWS_WORTH_A_START = 8_000_000
"""As many rows as one process works on while worker processes start; see docs/performance.md."""


def leaves_mode_open(args: Sequence[str]) -> bool:
    """Whether the flags say nothing of how a runner of this machine is to run."""
    says = any(arg.startswith("--direct_running_mode=") for arg in args)
    return uses_local_runner(args) and not says


def add_running_mode(args: Sequence[str], rows: int, cores: int | None = None) -> list[str]:
    """The flags, and where they leave it open, the mode that is sooner ready with `rows`."""
    if not leaves_mode_open(args):
        return list(args)
    chosen = [arg.rpartition("=")[2] for arg in args if arg.startswith(_WORKERS)]
    cores = int(chosen[-1]) if chosen else cores or available_cores()
    if rows * (1 - 1 / cores) < _ROWS_WORTH_A_START:
        return [*args, "--direct_running_mode=in_memory"]
    workers = [] if chosen else [f"{_WORKERS}{cores}"]
    return [*args, "--direct_running_mode=multi_processing", *workers]


def count_rows(examples: Any, splits: Sequence[str]) -> int:
    """The rows of an Examples artifact, as ColumnarExampleGen notes them; 0 if nobody did."""
    rows = json.loads(examples.get_string_custom_property("rows") or "{}")
    return sum(rows.get(split, 0) for split in splits)
