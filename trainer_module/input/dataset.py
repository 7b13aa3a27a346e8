"""The input pipeline: shuffled batches of the transformed examples.

Rows are never handled one by one. A split that fits in memory is held there, and many batches at
once are gathered from it by a slice of the epoch's permutation; a larger one is read window by
window, each shuffled in itself. The order depends on the seed and the epoch alone, so that a fit
that was interrupted goes on with the very batches it would have seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from pipeline.core.errors import ConfigError
from trainer_module.input.batching import Batching, Replicas
from trainer_module.input.column_layout import Layout, Matrices
from trainer_module.input.examples import Examples, RowGroup
from trainer_module.input.row_weights import EQUAL, RowWeights
from trainer_module.names import LABEL_KEY, WEIGHT_KEY

_MEMORY_SHARE = 0.1
"""The share of the machine's memory that one split may take; loading it takes three times that."""
_MOST_HELD_BYTES = 512 << 20
"""Beyond it memory is better left to others: streaming from disk hardly slows training down."""
_WINDOW_BYTES = 256 << 20
_GATHERED_BYTES = 32 << 20
"""Gathered at once, and then cut into batches: a gather costs more than the rows of a batch."""
_CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


@dataclass(frozen=True)
class Start:
    """Where the batches begin."""

    epoch: int | tf.Tensor = 0
    step: int = 0
    """The steps of the epoch that are done already."""


BEGINNING = Start()


def make_batches(
    examples: Examples,
    batching: Batching,
    replicas: Replicas,
    seed: int | None = None,
    start: Start = BEGINNING,
    weights: RowWeights = EQUAL,
) -> tf.data.Dataset:
    """This worker's rows over and over, from `start` on; without a seed, in their order.

    Batches of (features by name, label), [batch, width] each, and where rows have weights of
    (features, label, weight), float32 [batch, 1]. Every epoch has exactly `batching.batches` of
    them.
    """

    # Nothing here needs autograph, which takes longer than the rest of the tracing.
    @tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
    def epoch_batches(epoch: tf.Tensor) -> tf.data.Dataset:
        return source(epoch).take(batching.batches)

    source = _choose_source(examples, batching, replicas, weights, seed)
    batches = tf.data.Dataset.counter(start.epoch).flat_map(epoch_batches)
    skipped = start.step * replicas.local
    return (batches.skip(skipped) if skipped else batches).prefetch(tf.data.AUTOTUNE)


def memory_budget() -> int:
    """The bytes one split may take: a share of the machine's or the container's memory."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    texts = [path.read_text().strip() for path in _CGROUP_LIMITS if path.exists()]
    limits += [int(text) for text in texts if text.isdigit()]
    return min(int(min(limits) * _MEMORY_SHARE), _MOST_HELD_BYTES)


def require_fits_in_memory(examples: Examples) -> None:
    """That another process can be sent the examples.

    Raises:
      ConfigError: they do not fit in memory, and only this process's Python could stream them.
    """
    size, most = examples.row_count * examples.row_bytes, memory_budget()
    if size > most:
        raise ConfigError(
            f"training.strategy: the training split takes {size >> 20} MB, and a worker of "
            f"parameter_server holds at most {most >> 20}",
            "take strategy multi_worker, which streams it from disk",
        )


@dataclass(frozen=True)
class _Cut:
    """Makes batches of columns from larger pieces of packed rows, the next one in the making."""

    layout: Layout
    batching: Batching
    weights: RowWeights

    def __call__(self, packed: tf.data.Dataset) -> tf.data.Dataset:
        size, drop_remainder = self.batching.batch_size, self.batching.drop_remainder
        # A thread for each batch costs more than cutting it up.
        return packed.prefetch(1).rebatch(size, drop_remainder).map(self._unpack)

    def _unpack(self, batch: dict[str, tf.Tensor]) -> tuple[Any, ...]:
        """As Keras takes a batch."""
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
    """The function from an epoch (int64 scalar) to its batches; without a seed, in row order."""
    start, stop = replicas.rows(examples.row_count)
    cut = _Cut(examples.layout, batching, weights)
    if (stop - start) * examples.row_bytes <= memory_budget():
        return _batches_from_memory(examples.load(start, stop), cut, seed)
    return _batches_from_disk(examples, examples.groups_between(start, stop), cut, seed)


def _batches_from_memory(
    matrices: Matrices, cut: _Cut, seed: int | None
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    # Constants would otherwise go to the first GPU, where the input pipeline does not run, or into
    # the graph that a parameter server's workers are sent, where they are too large.
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
    """The rows of as many row groups as make a window, shuffled together."""
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
