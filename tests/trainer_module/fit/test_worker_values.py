"""Numbers of workers; `test_worker_processes.py` and the clusters cover several workers."""

from __future__ import annotations

import tensorflow as tf

from trainer_module.fit.worker_values import least_over_workers, mean_over_workers


def test_mean_and_least_of_a_single_worker_are_its_value() -> None:
    for strategy in (tf.distribute.get_strategy(), tf.distribute.MirroredStrategy(["/CPU:0"])):
        assert mean_over_workers(2.5, strategy) == 2.5
        assert least_over_workers(2.5, strategy) == 2.5
