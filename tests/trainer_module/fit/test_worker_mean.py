"""Averages over workers; `test_worker_processes.py` and the clusters cover several workers."""

from __future__ import annotations

import tensorflow as tf

from trainer_module.fit.worker_mean import mean_over_workers


def test_the_mean_of_a_single_worker_is_its_value() -> None:
    assert mean_over_workers(2.5, tf.distribute.get_strategy()) == 2.5
    assert mean_over_workers(2.5, tf.distribute.MirroredStrategy(["/CPU:0"])) == 2.5
