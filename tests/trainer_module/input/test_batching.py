"""Batch sizes and steps for any number of rows and replicas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.errors import DataError
from trainer_module.input.batching import (
    Replicas,
    evaluation_batching,
    global_batch_size,
    training_batching,
)

_REPLICAS = st.builds(Replicas, workers=st.integers(1, 5), local=st.integers(1, 4))


@pytest.mark.parametrize(
    ("rows", "requested", "replicas", "expected"),
    [
        (1_000_000, 256, 1, 256),
        (4096, 256, 1, 256),
        (1600, 256, 1, 100),
        (20, 256, 1, 10),
        (3, 256, 1, 3),
        (1600, 4, 1, 4),
        (1600, 256, 3, 99),
        (1_000_000, 2, 4, 4),
    ],
)
def test_small_splits_reduce_the_batch_size(
    rows: int, requested: int, replicas: int, expected: int
) -> None:
    assert global_batch_size(rows, requested, replicas) == expected


@given(st.integers(1, 5000))
def test_one_replica_evaluates_every_row_once(rows: int) -> None:
    batching = evaluation_batching(rows, Replicas())
    assert (batching.batches - 1) * batching.batch_size < rows
    assert batching.batches * batching.batch_size >= rows
    assert batching.steps == batching.batches
    assert not batching.drop_remainder


@given(st.integers(1, 5000))
def test_an_epoch_leaves_out_few_rows(rows: int) -> None:
    batching = training_batching(rows, 256, Replicas())
    left_out = rows - batching.batches * batching.batch_size
    assert 0 <= left_out < batching.batch_size
    if batching.batch_size < 256:
        assert left_out < batching.steps


@given(st.integers(1, 50_000), st.integers(1, 600), _REPLICAS)
def test_replicas_get_full_and_equal_batches(rows: int, requested: int, replicas: Replicas) -> None:
    try:
        plans = [training_batching(rows, requested, replicas)]
        if replicas.total > 1:
            plans.append(evaluation_batching(rows, replicas))
    except DataError:
        assert rows < max(8, replicas.total) + replicas.total
        return
    start, stop = replicas.rows(rows)
    for batching in plans:
        assert batching.drop_remainder
        assert batching.steps >= 1
        assert batching.batch_size >= 1
        assert batching.batches == batching.steps * replicas.local
        assert batching.batches * batching.batch_size <= stop - start
        assert batching.global_batch_size == batching.batch_size * replicas.total
    for evaluation in plans[1:]:
        seen = evaluation.batches * evaluation.batch_size * replicas.workers
        assert rows - seen < evaluation.steps * replicas.total


def test_workers_get_equal_shares_of_the_rows() -> None:
    shares = [Replicas(3, index).rows(11) for index in range(3)]
    assert shares == [(0, 3), (3, 6), (6, 9)]
    assert [Replicas(3, index).is_chief for index in range(3)] == [True, False, False]


def test_all_batches_on_a_tpu_have_the_same_size() -> None:
    """This is a TPU with one core: several replicas always have full batches."""
    batching = evaluation_batching(10_001, Replicas(static_shapes=True))
    assert batching.drop_remainder
    assert batching.batch_size * batching.steps > 10_001 - batching.steps
