"""The distribution strategy, from the environment alone: the same code trains everywhere."""

from __future__ import annotations

import json
import os

import tensorflow as tf

from trainer_module.batching import Replicas


def strategy_from_environment() -> tf.distribute.Strategy:
    """Several workers in TF_CONFIG, several GPUs, or neither.

    To be called before TensorFlow runs anything: collective operations between workers have to
    be set up first, and GPUs told not to take all memory.
    """
    gpus = tf.config.list_physical_devices("GPU")
    _let_memory_grow(gpus)
    if _worker_count() > 1:
        return tf.distribute.MultiWorkerMirroredStrategy()
    if len(gpus) > 1:
        return tf.distribute.MirroredStrategy()
    return tf.distribute.get_strategy()


def replicas_of(strategy: tf.distribute.Strategy) -> Replicas:
    """Who takes part in a step under `strategy`, and which of them this process is."""
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        return Replicas(local=strategy.num_replicas_in_sync)
    workers = _worker_count()
    task = json.loads(os.environ["TF_CONFIG"])["task"]
    behind_chief = "chief" in _cluster() and task["type"] != "chief"
    index = int(task["index"]) + int(behind_chief)
    return Replicas(workers, index, strategy.num_replicas_in_sync // workers)


def _cluster() -> dict[str, list[str]]:
    cluster: dict[str, list[str]] = json.loads(os.environ.get("TF_CONFIG") or "{}").get(
        "cluster", {}
    )
    return cluster


def _worker_count() -> int:
    return len(_cluster().get("chief", [])) + len(_cluster().get("worker", []))


def _let_memory_grow(gpus: list[tf.config.PhysicalDevice]) -> None:
    for gpu in gpus:
        try:
            tf.config.experimental.set_memory_growth(gpu, True)
        except RuntimeError:
            # Another component of this process already runs on it: its setting holds.
            return
