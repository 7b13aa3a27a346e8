"""Batches of both splits on a single device."""

from __future__ import annotations

from itertools import islice

import numpy as np
import tensorflow as tf
from numbered_rows import ROWS

from pipeline.config import TrainingConfig
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.input.dataset import BEGINNING, Start
from trainer_module.input.examples import Examples


def make_data(examples: Examples) -> DistributedData:
    config = TrainingConfig(global_batch_size=9, seed=3)
    return DistributedData(examples, examples, config, tf.distribute.get_strategy())


def test_the_sizes_are_those_of_the_batches(examples: Examples) -> None:
    data = make_data(examples)
    assert data.facts() == {
        "train_examples": ROWS,
        "eval_examples": ROWS,
        "global_batch_size": 8,
        "batch_size": 8,
        "steps_per_epoch": 12,
        "replicas": 1,
    }
    features, _ = next(iter(data.training_batches(BEGINNING)))
    assert features["row"].shape == (8, 1)
    assert not data.is_coordinated


def test_training_begins_at_the_given_step(examples: Examples) -> None:
    data = make_data(examples)
    rows = [features["row"].numpy() for features, _ in islice(data.training_batches(BEGINNING), 15)]
    later, _ = next(iter(data.training_batches(Start(epoch=1, step=2))))
    np.testing.assert_array_equal(later["row"], rows[12 + 2])


def test_each_evaluation_reads_all_rows(examples: Examples) -> None:
    data = make_data(examples)
    steps = data.evaluation_batching.steps
    batches = islice(data.evaluation_batches(), steps)
    rows = np.concatenate([features["row"].numpy()[:, 0] for features, _ in batches])
    assert sorted(rows) == list(range(ROWS))
