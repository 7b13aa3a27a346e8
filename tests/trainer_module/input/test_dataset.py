"""Batches from memory and from disk: every row once an epoch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from numbered_rows import ROWS

from pipeline.core.errors import ConfigError
from trainer_module.input import dataset
from trainer_module.input.batching import Replicas, evaluation_batching, training_batching
from trainer_module.input.dataset import BEGINNING, Start, make_batches
from trainer_module.input.examples import Examples, open_examples


@pytest.fixture(autouse=True)
def _global_seed() -> None:
    """Sets a global seed as training does: it changes the effect of an operation's seed."""
    tf.random.set_seed(0)


@pytest.fixture(params=["in memory", "streamed"])
def _memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "streamed":
        monkeypatch.setattr(dataset, "_MOST_HELD_BYTES", 0)
        monkeypatch.setattr(dataset, "_WINDOW_BYTES", 800)
    else:
        monkeypatch.setattr(dataset, "_GATHERED_BYTES", 800)


def epochs_of(
    examples: Examples, replicas: Replicas, seed: int | None, start: Start = BEGINNING
) -> Iterator[list[int]]:
    """Yields the numbers of the rows of each epoch."""
    batching = (
        evaluation_batching(ROWS, replicas)
        if seed is None
        else training_batching(ROWS, 10, replicas)
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
        assert len(set(epoch)) == len(epoch) > ROWS - 10
        assert sum(abs(row - place) for place, row in enumerate(epoch)) > ROWS
    assert epochs[0] != epochs[1]
    assert set().union(*epochs) == set(range(ROWS))


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
def test_evaluation_reads_the_rows_in_the_same_order(examples: Examples) -> None:
    first, second = islice(epochs_of(examples, Replicas(), seed=None), 2)
    assert first == second
    assert sorted(first) == list(range(ROWS))


@pytest.mark.usefixtures("_memory")
def test_workers_read_disjoint_rows(examples: Examples) -> None:
    for seed in (7, None):
        shares = [next(epochs_of(examples, Replicas(3, i, local=2), seed)) for i in range(3)]
        assert len({len(share) for share in shares}) == 1
        together = [row for share in shares for row in share]
        assert len(set(together)) == len(together) > ROWS - 10


def test_a_split_too_large_for_the_memory_of_workers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    rows = pa.array([[float(i)] for i in range(100)], pa.large_list(pa.float32()))
    pq.write_table(pa.table({"LABEL": rows}), tmp_path / "data", use_compliant_nested_type=False)
    spec = {"LABEL": tf.io.FixedLenFeature([1], tf.float32)}
    examples = open_examples([str(tmp_path / "*")], spec)
    dataset.require_fits_in_memory(examples)
    monkeypatch.setattr(dataset, "_MOST_HELD_BYTES", 399)
    with pytest.raises(ConfigError, match=r"training\.strategy") as caught:
        dataset.require_fits_in_memory(examples)
    assert "multi_worker" in caught.value.hint
