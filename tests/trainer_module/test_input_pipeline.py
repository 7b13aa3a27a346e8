"""Batches of examples that are held in memory or streamed: every row once an epoch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf

from pipeline.core.errors import DataError
from trainer_module.input import dataset
from trainer_module.input.batching import Replicas, evaluation_batching, training_batching
from trainer_module.input.dataset import BEGINNING, Start, make_batches, memory_budget
from trainer_module.input.examples import Examples, open_examples
from trainer_module.names import LABEL_KEY

_ROWS = 103
_SPEC = {
    "row": tf.io.FixedLenFeature([1], tf.int64),
    "pair": tf.io.FixedLenFeature([2], tf.float32),
    LABEL_KEY: tf.io.FixedLenFeature([1], tf.float32),
}


@pytest.fixture(autouse=True)
def _global_seed() -> None:
    """As in training: a global seed changes what TensorFlow does with seeds of its own."""
    tf.random.set_seed(0)


@pytest.fixture
def examples(tmp_path: Path) -> Examples:
    """Rows numbered through two files; the numbers again, negated, in the other columns."""
    for part, numbers in enumerate((range(60), range(60, _ROWS))):
        write_row_groups(tmp_path / f"part-{part}", list(numbers))
    return open_examples([f"{tmp_path}/part-*"], _SPEC)


def write_row_groups(path: Path, numbers: list[int]) -> None:
    table = pa.table(
        {
            "row": pa.array([[n] for n in numbers], pa.large_list(pa.int64())),
            "pair": pa.array([[-n, 0.5] for n in numbers], pa.large_list(pa.float32())),
            LABEL_KEY: pa.array([[-n] for n in numbers], pa.large_list(pa.float32())),
        }
    )
    pq.write_table(table, path, row_group_size=17, use_compliant_nested_type=False)


@pytest.fixture(params=["in memory", "streamed"])
def _memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "streamed":
        monkeypatch.setattr(dataset, "_MEMORY_SHARE", 0.0)
        monkeypatch.setattr(dataset, "_WINDOW_BYTES", 800)
    else:
        monkeypatch.setattr(dataset, "_GATHERED_BYTES", 800)


def epochs_of(
    examples: Examples, replicas: Replicas, seed: int | None, start: Start = BEGINNING
) -> Iterator[list[int]]:
    """The numbers of the rows, epoch by epoch."""
    batching = (
        evaluation_batching(_ROWS, replicas)
        if seed is None
        else training_batching(_ROWS, 10, replicas)
    )
    batches = iter(make_batches(examples, batching, replicas, seed, start))
    while True:
        epoch: list[int] = []
        for features, label in islice(batches, batching.batches):
            rows = features["row"].numpy()
            assert rows.shape[1] == 1
            np.testing.assert_array_equal(label.numpy(), -rows.astype(np.float32))
            np.testing.assert_array_equal(features["pair"].numpy()[:, :1], label.numpy())
            assert not batching.drop_remainder or len(rows) == batching.batch_size
            epoch.extend(rows[:, 0])
        yield epoch


@pytest.mark.usefixtures("_memory")
def test_no_epoch_has_a_row_twice_and_all_epochs_together_have_all(examples: Examples) -> None:
    epochs = list(islice(epochs_of(examples, Replicas(), seed=7), 12))
    for epoch in epochs:
        assert len(set(epoch)) == len(epoch) > _ROWS - 10
        assert sum(abs(row - place) for place, row in enumerate(epoch)) > _ROWS
    assert epochs[0] != epochs[1]
    assert set().union(*epochs) == set(range(_ROWS))


@pytest.mark.usefixtures("_memory")
def test_the_order_follows_from_seed_and_epoch(examples: Examples) -> None:
    first, second, third = islice(epochs_of(examples, Replicas(), seed=7), 3)
    again = next(epochs_of(examples, Replicas(), seed=7))
    later = islice(epochs_of(examples, Replicas(), seed=7, start=Start(1)), 2)
    other = next(epochs_of(examples, Replicas(), seed=8))
    assert again == first
    assert list(later) == [second, third]
    assert other != first


@pytest.mark.usefixtures("_memory")
def test_evaluation_keeps_the_order(examples: Examples) -> None:
    first, second = islice(epochs_of(examples, Replicas(), seed=None), 2)
    assert first == second
    assert sorted(first) == list(range(_ROWS))


@pytest.mark.usefixtures("_memory")
def test_workers_have_rows_of_their_own(examples: Examples) -> None:
    for seed in (7, None):
        shares = [next(epochs_of(examples, Replicas(3, i, local=2), seed)) for i in range(3)]
        assert len({len(share) for share in shares}) == 1
        together = [row for share in shares for row in share]
        assert len(set(together)) == len(together) > _ROWS - 10


def test_examples_know_their_size(examples: Examples) -> None:
    assert examples.row_count == _ROWS
    assert examples.row_bytes == 8 + 2 * 4 + 4
    assert sorted(examples.labels) == sorted(-float(n) for n in range(_ROWS))
    assert memory_budget() > 1 << 28


def test_a_range_of_rows(examples: Examples) -> None:
    part = examples.layout.views(examples.load(10, 75))
    assert part["pair"].shape == (65, 2)
    assert len(set(part["row"][:, 0])) == 65


def test_a_split_without_examples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing-\*: the split has no examples"):
        open_examples([f"{tmp_path}/nothing-*"], _SPEC)
    write_row_groups(tmp_path / "empty", [])
    with pytest.raises(DataError, match="has no examples"):
        open_examples([f"{tmp_path}/empty"], _SPEC)
