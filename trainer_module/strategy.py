"""The distribution strategy: what the configuration asks for, or what the machine offers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import tensorflow as tf

from pipeline.config import ConfigError, TrainingConfig
from pipeline.config.strategies import refusal_of
from trainer_module.batching import Replicas


def make_strategy(training: TrainingConfig) -> tf.distribute.Strategy:
    """The strategy of the training section.

    To be called before TensorFlow runs anything: collective operations between workers have to
    be set up first, and GPUs told not to take all memory.

    Raises:
      ConfigError: `auto` became a strategy that another setting does not go with.
    """
    _let_memory_grow(tf.config.list_physical_devices("GPU"))
    name = _offered() if training.strategy == "auto" else training.strategy
    if refusal := refusal_of(name, dict(training)):
        raise ConfigError(f"training.{refusal.setting}: {refusal}")
    return _MAKERS[name]()


def _offered() -> str:
    if _worker_count() > 1:
        return "multi_worker"
    return "mirrored" if len(tf.config.list_physical_devices("GPU")) > 1 else "none"


def _devices() -> list[str]:
    """The GPUs, or the CPU, which tests divide into several."""
    gpus = tf.config.list_logical_devices("GPU")
    return [device.name for device in gpus or tf.config.list_logical_devices("CPU")]


_MAKERS: dict[str, Callable[[], tf.distribute.Strategy]] = {
    "none": tf.distribute.get_strategy,
    "mirrored": lambda: tf.distribute.MirroredStrategy(_devices()),
    "multi_worker": tf.distribute.MultiWorkerMirroredStrategy,
    "central_storage": lambda: tf.distribute.experimental.CentralStorageStrategy(_devices()),
}


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
