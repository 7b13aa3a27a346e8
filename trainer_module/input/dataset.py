"""The input pipeline: shuffled batches of the transformed examples.

The pipeline never handles single rows. It keeps the worker's rows of a split in memory if they take
at most `_MOST_HELD_BYTES`, and gathers the rows of many batches at once with a slice of the epoch's
permutation. Otherwise it reads the rows from disk in windows of several row groups, and shuffles
within each window. The order of the rows depends on the seed and the epoch alone: an interrupted
fit continues with the same batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from pipeline.core.errors import ConfigError
from trainer_module.input.batching import Batching, Replicas
from trainer_module.input.column_layout import Layout, Matrices
from trainer_module.input.examples import Examples, RowGroup
from trainer_module.input.row_weights import EQUAL, RowWeights
from trainer_module.names import LABEL_KEY, WEIGHT_KEY

_MOST_HELD_BYTES = 512 << 20
"""Bytes that this worker's rows of a split may occupy; loading needs three times as much. More rows
are streamed from disk, which hardly slows training down. The limit is the same on every machine,
because the order of the rows depends on it."""
_WINDOW_BYTES = 256 << 20
"""Bytes of rows shuffled together when a split is streamed. Larger windows mix rows better and need
more memory."""
_GATHERED_BYTES = 32 << 20
"""Bytes of rows gathered by one operation and then cut into batches: one gather for each batch
would cost more than copying its rows."""


@dataclass(frozen=True)
class Start:
    """The epoch and the step at which the batches start, both counted from 0."""

    epoch: int | tf.Tensor = 0
    step: int = 0
    """Steps of the epoch that are already done."""


BEGINNING = Start()


def make_batches(
    examples: Examples,
    batching: Batching,
    replicas: Replicas,
    seed: int | None = None,
    start: Start = BEGINNING,
    weights: RowWeights = EQUAL,
) -> tf.data.Dataset:
    """Returns endless batches of this worker's rows, starting at `start`.

    A batch is (features by name, label), [batch, width] each. If rows have weights, a batch is
    (features, label, weight) with the weight as float32 [batch, 1]. Every epoch has exactly
    `batching.batches` batches. Rows are shuffled with `seed`; without a seed they keep their order.
    """

    # Autograph would take longer than the rest of the tracing, and nothing here needs it.
    @tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
    def epoch_batches(epoch: tf.Tensor) -> tf.data.Dataset:
        return source(epoch).take(batching.batches)

    source = _choose_source(examples, batching, replicas, weights, seed)
    batches = tf.data.Dataset.counter(start.epoch).flat_map(epoch_batches)
    # Otherwise the workers would ask each other at each step whether batches remain.
    batches = batches.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
    skipped = start.step * replicas.local
    return (batches.skip(skipped) if skipped else batches).prefetch(tf.data.AUTOTUNE)


def require_fits_in_memory(examples: Examples) -> None:
    """Checks that a worker of a parameter server training can hold the examples.

    Raises:
      ConfigError: the examples do not fit in memory. A coordinator's dataset runs on its workers,
        which cannot call this process's Python to stream the examples from disk.
    """
    size = examples.row_count * examples.row_bytes
    if size > _MOST_HELD_BYTES:
        raise ConfigError(
            f"training.strategy: the training split takes {size >> 20} MB, and a worker of "
            f"parameter_server holds at most {_MOST_HELD_BYTES >> 20}",
            "use strategy multi_worker, which streams the split from disk",
        )


@dataclass(frozen=True)
class _Cut:
    """Cuts pieces of many rows into batches of columns, and prepares the next piece meanwhile."""

    layout: Layout
    batching: Batching
    weights: RowWeights

    def __call__(self, packed: tf.data.Dataset) -> tf.data.Dataset:
        size, drop_remainder = self.batching.batch_size, self.batching.drop_remainder
        # Not a parallel map: handing a batch to a thread costs more than cutting it.
        return packed.prefetch(1).rebatch(size, drop_remainder).map(self._unpack)

    def _unpack(self, batch: dict[str, tf.Tensor]) -> tuple[Any, ...]:
        """Returns (features, label) or (features, label, weight), as Keras takes a batch."""
        features = self.layout.split(batch)
        label, weight = features.pop(LABEL_KEY), features.pop(WEIGHT_KEY, None)
        weight = self.weights.weigh_rows(label, weight)
        return (features, label) if weight is None else (features, label, weight)


def _choose_source(
    examples: Examples,
    batching: Batching,
    replicas: Replicas,
    weights: RowWeights,
    seed: int | None,
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    """Returns a function that makes the batches of an epoch, given as an int64 scalar."""
    start, stop = replicas.rows(examples.row_count)
    cut = _Cut(examples.layout, batching, weights)
    if (stop - start) * examples.row_bytes <= _MOST_HELD_BYTES:
        return _batches_from_memory(examples.load(start, stop), cut, seed)
    return _batches_from_disk(examples, examples.groups_between(start, stop), cut, seed)


def _batches_from_memory(
    matrices: Matrices, cut: _Cut, seed: int | None
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    # By default, TensorFlow puts constants on the first GPU, where the input pipeline does not run,
    # or into the graph that is sent to a parameter server's workers, which limits their size.
    with tf.init_scope(), tf.device("/CPU:0"):
        tensors = {name: tf.constant(matrices.pop(name)) for name in list(matrices)}
    row_count = len(next(iter(tensors.values())))
    row_bytes = sum(tensor.shape[1] * tensor.dtype.size for tensor in tensors.values())
    gathered_rows = max(_GATHERED_BYTES // row_bytes, cut.batching.batch_size)

    def batches(epoch: tf.Tensor) -> tf.data.Dataset:
        order = tf.range(row_count)
        if seed is not None:
            order = tf.random.experimental.stateless_shuffle(order, [seed, epoch])

        def gather(start: tf.Tensor) -> dict[str, tf.Tensor]:
            rows = order[start : start + gathered_rows]
            return {name: tf.gather(tensor, rows) for name, tensor in tensors.items()}

        starts = tf.data.Dataset.range(0, row_count, gathered_rows)
        return cut(starts.map(gather))

    return batches


def _batches_from_disk(
    examples: Examples, groups: tuple[RowGroup, ...], cut: _Cut, seed: int | None
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    def windows(epoch: np.int64) -> Iterator[Matrices]:
        random = None if seed is None else np.random.default_rng([seed, int(epoch)])
        return _read_windows(examples, groups, random)

    def batches(epoch: tf.Tensor) -> tf.data.Dataset:
        signature = examples.layout.signature
        return cut(
            tf.data.Dataset.from_generator(windows, output_signature=signature, args=(epoch,))
        )

    return batches


def _read_windows(
    examples: Examples, groups: tuple[RowGroup, ...], random: np.random.Generator | None
) -> Iterator[Matrices]:
    """Yields windows: the rows of several row groups, shuffled together if `random` is given."""
    order = np.arange(len(groups)) if random is None else random.permutation(len(groups))
    window: list[RowGroup] = []
    for position, index in enumerate(order, start=1):
        window.append(groups[index])
        row_count = sum(group.row_count for group in window)
        if row_count * examples.row_bytes < _WINDOW_BYTES and position < len(order):
            continue
        matrices = examples.read(window)
        if random is not None:
            rows = random.permutation(row_count)
            matrices = {dtype: matrix[rows] for dtype, matrix in matrices.items()}
        yield matrices
        window = []
