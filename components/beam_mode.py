"""Chooses how Beam runs on one machine if the configuration sets no running mode.

Beam's worker processes share the rows. But each process first imports TensorFlow and TFX, again for
every Beam pipeline of a component. Below some millions of rows this costs more than it saves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pipeline.config.sections.beam import uses_local_runner
from pipeline.core.contracts import Property
from pipeline.core.processes import available_cores

_WORKERS = "--direct_num_workers="
_ROWS_WORTH_A_START = 8_000_000
"""Rows that one process handles while worker processes start; see docs/performance.md."""


def leaves_mode_open(args: Sequence[str]) -> bool:
    """Whether the flags choose a runner of this machine, but no running mode."""
    has_mode = any(arg.startswith("--direct_running_mode=") for arg in args)
    return uses_local_runner(args) and not has_mode


def add_running_mode(args: Sequence[str], rows: int, cores: int | None = None) -> list[str]:
    """Returns the flags, with the faster running mode for `rows` if they have no mode."""
    if not leaves_mode_open(args):
        return list(args)
    chosen = [arg.rpartition("=")[2] for arg in args if arg.startswith(_WORKERS)]
    cores = int(chosen[-1]) if chosen else cores or available_cores()
    if rows * (1 - 1 / cores) < _ROWS_WORTH_A_START:
        return [*args, "--direct_running_mode=in_memory"]
    workers = [] if chosen else [f"{_WORKERS}{cores}"]
    return [*args, "--direct_running_mode=multi_processing", *workers]


def count_rows(examples: Any, splits: Sequence[str]) -> int:
    """Returns the rows in `splits` from the property that ColumnarExampleGen sets; 0 without it."""
    rows = json.loads(examples.get_string_custom_property(Property.ROWS) or "{}")
    return sum(rows.get(split, 0) for split in splits)
