"""The input pipeline: shuffled batches of the transformed examples.

Rows are never handled one by one. A split that fits in memory is held there, and many batches at
once are gathered from it by a slice of the epoch's permutation; a larger one is read window by
window, each shuffled in itself. The order depends on the seed and the epoch alone, so that a fit
that was interrupted goes on with the very batches it would have seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import tensorflow as tf

from trainer_module.batching import Batching, Replicas
from trainer_module.examples import Examples, ParquetExamples, RowGroup, TFRecordExamples
from trainer_module.features import LABEL_KEY
from trainer_module.packed import Layout, Matrices

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


def batches_of(
    examples: Examples,
    batching: Batching,
    replicas: Replicas,
    seed: int | None = None,
    first_epoch: int = 0,
) -> tf.data.Dataset:
    """This worker's rows over and over, from `first_epoch` on; without a seed, in their order.

    Batches of (features by name, label), [batch, width] each. Every epoch has exactly
    `batching.batches` of them.
    """

    # Nothing here needs autograph, which takes longer than the rest of the tracing.
    @tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
    def epoch_batches(epoch: tf.Tensor) -> tf.data.Dataset:
        return source(epoch).take(batching.batches)

    source = _source(examples, batching, replicas, seed)
    batches = tf.data.Dataset.counter(first_epoch).flat_map(epoch_batches)
    return batches.prefetch(tf.data.AUTOTUNE)


def memory_budget() -> int:
    """The bytes one split may take: a share of the machine's or the container's memory."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    texts = [path.read_text().strip() for path in _CGROUP_LIMITS if path.exists()]
    limits += [int(text) for text in texts if text.isdigit()]
    return min(int(min(limits) * _MEMORY_SHARE), _MOST_HELD_BYTES)


def _split_off_label(columns: dict[str, tf.Tensor]) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
    features = dict(columns)
    return features, features.pop(LABEL_KEY)


def _cut(packed: tf.data.Dataset, layout: Layout, batching: Batching) -> tf.data.Dataset:
    """Batches of columns from larger pieces of packed rows, the next of which is in the making."""

    def unpack(batch: dict[str, tf.Tensor]) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        return _split_off_label(layout.split(batch))

    # A thread for each batch costs more than cutting it up.
    return packed.prefetch(1).rebatch(batching.batch_size, batching.drop_remainder).map(unpack)


def _source(
    examples: Examples, batching: Batching, replicas: Replicas, seed: int | None
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    """The function from an epoch (int64 scalar) to its batches; without a seed, in row order."""
    start, stop = replicas.rows(examples.row_count)
    if (stop - start) * examples.row_bytes <= memory_budget():
        return _held_in_memory(examples.load(start, stop), examples.layout, batching, seed)
    if isinstance(examples, ParquetExamples):
        groups = examples.groups_between(start, stop)
        return _streamed_from_parquet(examples, groups, batching, seed)
    assert isinstance(examples, TFRecordExamples)
    return _streamed_from_tfrecord(examples, batching, replicas, seed)


def _held_in_memory(
    matrices: Matrices, layout: Layout, batching: Batching, seed: int | None
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    # Constants would otherwise go to the first GPU, where the input pipeline does not run.
    with tf.device("/CPU:0"):
        tensors = {name: tf.constant(matrices.pop(name)) for name in list(matrices)}
    row_count = len(next(iter(tensors.values())))
    row_bytes = sum(tensor.shape[1] * tensor.dtype.size for tensor in tensors.values())
    gathered_rows = max(_GATHERED_BYTES // row_bytes, batching.batch_size)

    def batches(epoch: tf.Tensor) -> tf.data.Dataset:
        order = tf.range(row_count)
        if seed is not None:
            order = tf.random.experimental.stateless_shuffle(order, [seed, epoch])

        def gather(start: tf.Tensor) -> dict[str, tf.Tensor]:
            rows = order[start : start + gathered_rows]
            return {name: tf.gather(tensor, rows) for name, tensor in tensors.items()}

        starts = tf.data.Dataset.range(0, row_count, gathered_rows)
        return _cut(starts.map(gather), layout, batching)

    return batches


def _streamed_from_parquet(
    examples: ParquetExamples, groups: tuple[RowGroup, ...], batching: Batching, seed: int | None
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    layout = examples.layout

    def windows(epoch: np.int64) -> Iterator[Matrices]:
        random = None if seed is None else np.random.default_rng([seed, int(epoch)])
        return _read_windows(examples, groups, random)

    def batches(epoch: tf.Tensor) -> tf.data.Dataset:
        packed = tf.data.Dataset.from_generator(
            windows, output_signature=layout.signature, args=(epoch,)
        )
        return _cut(packed, layout, batching)

    return batches


def _read_windows(
    examples: ParquetExamples, groups: tuple[RowGroup, ...], random: np.random.Generator | None
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


def _streamed_from_tfrecord(
    examples: TFRecordExamples, batching: Batching, replicas: Replicas, seed: int | None
) -> Callable[[tf.Tensor], tf.data.Dataset]:
    window_rows = max(_WINDOW_BYTES // examples.row_bytes, batching.batch_size)

    def parse(serialized: tf.Tensor) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        return _split_off_label(tf.io.parse_example(serialized, examples.spec))

    def batches(epoch: tf.Tensor) -> tf.data.Dataset:
        files = tf.constant(examples.files)
        if seed is not None:
            files = tf.random.experimental.stateless_shuffle(files, [seed, epoch])
        records = examples.records(files).shard(replicas.workers, replicas.index)
        windows = records.batch(window_rows)
        if seed is not None:
            windows = windows.enumerate().map(partial(shuffle, epoch))
        chunks = windows.prefetch(1).rebatch(batching.batch_size, batching.drop_remainder)
        return chunks.map(parse, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)

    def shuffle(epoch: tf.Tensor, index: tf.Tensor, window: tf.Tensor) -> tf.Tensor:
        window_seed = tf.random.fold_in(tf.stack([tf.constant(seed, tf.int64), epoch]), index)
        return tf.random.experimental.stateless_shuffle(window, window_seed)

    return batches
