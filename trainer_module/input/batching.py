"""How many rows make a step, and how many steps an epoch: arithmetic the strategies depend on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.core.errors import DataError

_FEWEST_STEPS = 16
"""An epoch of fewer steps hardly moves the weights before early stopping looks at them."""
_SMALLEST_BATCH = 8
_EVALUATION_ROWS = 4096
"""Evaluation keeps no activations for gradients: large batches cost little memory."""


@dataclass(frozen=True)
class Replicas:
    """Who works on a step: `workers` processes with `local` devices each; this one is `index`."""

    workers: int = 1
    index: int = 0
    local: int = 1
    static_shapes: bool = False
    """Whether no batch may be smaller than the others."""

    @property
    def total(self) -> int:
        return self.workers * self.local

    @property
    def is_chief(self) -> bool:
        """Whether this process writes what all of them made."""
        return self.index == 0

    def rows(self, row_count: int) -> tuple[int, int]:
        """This worker's rows, from start to stop: equally many for each worker."""
        share = row_count // self.workers
        return share * self.index, share * (self.index + 1)


@dataclass(frozen=True)
class Batching:
    """The batches that one worker's input pipeline gives."""

    global_batch_size: int
    """Rows of one step over all replicas."""
    batch_size: int
    """Rows of one batch, which one replica works on."""
    batches: int
    """Batches of one epoch."""
    steps: int
    """Steps of one epoch, the same for all workers."""
    drop_remainder: bool
    """Whether all batches are full; only one replica's evaluation ends with a smaller one."""


def global_batch_size(row_count: int, requested: int, replicas: int) -> int:
    """The requested size; lowered where that leaves fewer than 16 steps, but not below 8 rows.

    Lowered, it divides the rows as evenly as it can. A multiple of the number of replicas, so that
    all of them have equally much to do.
    """
    enough_steps = max(row_count // _FEWEST_STEPS, _SMALLEST_BATCH)
    even = row_count // max(row_count // enough_steps, 1)
    return max(min(requested, max(even, 1)) // replicas, 1) * replicas


def training_batching(row_count: int, requested: int, replicas: Replicas) -> Batching:
    """One epoch of training: full batches only, so that TensorFlow knows their shape beforehand.

    That makes a step on a CPU a quarter faster. Less than one batch is left out, other rows in
    each epoch.

    Raises:
      DataError: if there are fewer rows than replicas.
    """
    size = global_batch_size(row_count, requested, replicas.total)
    _require_rows("train", row_count, size)
    steps = row_count // size
    return Batching(
        size, size // replicas.total, steps * replicas.local, steps, drop_remainder=True
    )


def evaluation_batching(row_count: int, replicas: Replicas) -> Batching:
    """One pass over the evaluation split; several replicas, or a TPU, leave out at most a row a
    batch of each."""
    if replicas.total == 1 and not replicas.static_shapes:
        size, steps = _EVALUATION_ROWS, math.ceil(row_count / _EVALUATION_ROWS)
        return Batching(size, size, steps, steps, drop_remainder=False)
    _require_rows("eval", row_count, replicas.total)
    steps = math.ceil(row_count / (_EVALUATION_ROWS * replicas.total))
    size = row_count // replicas.workers // (steps * replicas.local)
    return Batching(size * replicas.total, size, steps * replicas.local, steps, drop_remainder=True)


def _require_rows(split: str, row_count: int, needed: int) -> None:
    if row_count < needed:
        raise DataError(
            f"the {split} split has {row_count} rows, too few for all replicas",
            "train with fewer workers or devices, or on more data",
        )
