"""Makes the distribution strategy of the configuration, or the one that suits the machine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import tensorflow as tf

from pipeline.config import TrainingConfig
from pipeline.config.rules.accelerators import find_tpu, require_tpu
from pipeline.config.sections.strategies import find_restriction
from pipeline.core.errors import ConfigError
from trainer_module.devices.hardware import set_up_hardware
from trainer_module.devices.tpu import make_tpu_strategy
from trainer_module.input.batching import Replicas


def make_strategy(training: TrainingConfig) -> tf.distribute.Strategy:
    """Returns the strategy of the `training` section.

    Call this before TensorFlow runs any operation: TensorFlow takes devices, threads and the
    collective operations between workers only before its start.

    Raises:
      ConfigError: `auto` resolves to a strategy that another setting excludes, or the machine does
        not have the devices.
    """
    set_up_hardware(training)
    name = _detect_strategy() if training.strategy == "auto" else training.strategy
    if restriction := find_restriction(name, training):
        raise ConfigError(f"training.{restriction.setting.key}: {restriction.describe(name)}")
    return _MAKERS[name]()


def _detect_strategy() -> str:
    """Returns the name of the strategy that `auto` stands for on this machine."""
    if "ps" in _read_cluster():
        return "parameter_server"
    if _count_workers() > 1:
        return "multi_worker"
    if len(tf.config.get_visible_devices("GPU")) > 1:
        return "mirrored"
    return "tpu" if find_tpu() else "none"


def _local_devices() -> list[str]:
    """Returns the names of the GPUs, or of the CPU, which tests divide into several devices."""
    gpus = tf.config.list_logical_devices("GPU")
    return [device.name for device in gpus or tf.config.list_logical_devices("CPU")]


_MAKERS: dict[str, Callable[[], tf.distribute.Strategy]] = {
    "none": tf.distribute.get_strategy,
    "mirrored": lambda: tf.distribute.MirroredStrategy(_local_devices()),
    "multi_worker": tf.distribute.MultiWorkerMirroredStrategy,
    "parameter_server": lambda: tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.TFConfigClusterResolver()
    ),
    "central_storage": lambda: tf.distribute.experimental.CentralStorageStrategy(_local_devices()),
    "tpu": lambda: make_tpu_strategy(require_tpu()),
}


def replicas_of(strategy: tf.distribute.Strategy) -> Replicas:
    """Returns the number of workers and devices under `strategy`, and this worker's index."""
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        static_shapes = isinstance(strategy, tf.distribute.TPUStrategy)
        return Replicas(local=strategy.num_replicas_in_sync, static_shapes=static_shapes)
    workers = _count_workers()
    task = json.loads(os.environ["TF_CONFIG"])["task"]
    behind_chief = "chief" in _read_cluster() and task["type"] != "chief"
    index = int(task["index"]) + int(behind_chief)
    return Replicas(workers, index, strategy.num_replicas_in_sync // workers)


def _read_cluster() -> dict[str, list[str]]:
    """Returns the addresses in TF_CONFIG by job name; empty without a cluster."""
    cluster: dict[str, list[str]] = json.loads(os.environ.get("TF_CONFIG") or "{}").get(
        "cluster", {}
    )
    return cluster


def _count_workers() -> int:
    return len(_read_cluster().get("chief", [])) + len(_read_cluster().get("worker", []))
