"""Computes the batch size and the steps per epoch for a number of rows and replicas."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.core.errors import DataError

_FEWEST_STEPS = 16
"""With fewer steps, an epoch hardly changes the weights before early stopping compares losses."""
_SMALLEST_BATCH = 8
"""The reduction for small splits stops here: smaller batches have gradients of much noise."""
_EVALUATION_ROWS = 4096
"""Rows of an evaluation batch on one replica. Evaluation keeps no activations for gradients, so
large batches need little memory."""


@dataclass(frozen=True)
class Replicas:
    """The replicas that share each step, as seen by one worker process."""

    workers: int = 1
    """Number of worker processes."""
    index: int = 0
    """Number of this worker process; 0 is the chief."""
    local: int = 1
    """Number of replicas in each worker process, one per device."""
    static_shapes: bool = False
    """Whether all batches must have the same size, as on a TPU."""

    @property
    def total(self) -> int:
        return self.workers * self.local

    @property
    def is_chief(self) -> bool:
        """Whether this process is the chief, which writes the files of all workers' training."""
        return self.index == 0

    def rows(self, row_count: int) -> tuple[int, int]:
        """Returns the start and the stop of this worker's rows; all workers get equally many."""
        share = row_count // self.workers
        return share * self.index, share * (self.index + 1)


@dataclass(frozen=True)
class Batching:
    """Sizes and numbers of the batches of one worker's input pipeline."""

    global_batch_size: int
    """Rows of one step, over all replicas."""
    batch_size: int
    """Rows of one batch, which one replica processes."""
    batches: int
    """Batches of one epoch on this worker."""
    steps: int
    """Steps of one epoch, the same for all workers."""
    drop_remainder: bool
    """Whether to drop a smaller last batch. Only the evaluation on a single replica keeps it."""


def global_batch_size(row_count: int, requested: int, replicas: int) -> int:
    """Returns the requested batch size, reduced so that an epoch has at least 16 steps.

    The reduction stops at 8 rows, and divides the rows as evenly as possible. The result is a
    multiple of the number of replicas, so that all replicas get equally many rows.
    """
    enough_steps = max(row_count // _FEWEST_STEPS, _SMALLEST_BATCH)
    even = row_count // max(row_count // enough_steps, 1)
    return max(min(requested, max(even, 1)) // replicas, 1) * replicas


def training_batching(row_count: int, requested: int, replicas: Replicas) -> Batching:
    """Returns the batching of one training epoch, with full batches only.

    TensorFlow then knows the shape of a batch in advance, which makes a step on a CPU a quarter
    faster. Each epoch leaves out less than one batch, and other rows than the epoch before.

    Raises:
      DataError: the split has fewer rows than replicas.
    """
    size = global_batch_size(row_count, requested, replicas.total)
    _require_rows("train", row_count, size)
    steps = row_count // size
    return Batching(
        size, size // replicas.total, steps * replicas.local, steps, drop_remainder=True
    )


def evaluation_batching(row_count: int, replicas: Replicas) -> Batching:
    """Returns the batching of one pass over the evaluation split.

    A single replica evaluates every row. Several replicas, or a TPU, leave out at most one row
    per batch and replica.

    Raises:
      DataError: the split has fewer rows than replicas.
    """
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
