"""Sets the GPUs and the number of threads of TensorFlow, before TensorFlow runs any operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pipeline.config import TrainingConfig
from pipeline.config.rules.accelerators import require_gpu
from pipeline.config.sections.training import ThreadsConfig
from pipeline.core.errors import ConfigError


def set_up_hardware(training: TrainingConfig) -> None:
    """Applies `training.devices` and `training.threads`, and lets GPU memory grow on demand.

    Raises:
      ConfigError: the machine has no such GPU, or TensorFlow has run an operation already.
    """
    gpus = tf.config.list_physical_devices("GPU")
    if training.devices is not None:
        gpus = [_select_gpu(number, gpus) for number in training.devices]
        _apply_before_start("training.devices", tf.config.set_visible_devices, gpus, "GPU")
    _set_threads(training.threads)
    for gpu in gpus:
        try:
            tf.config.experimental.set_memory_growth(gpu, True)
        except RuntimeError:
            # Another component of this process already uses the GPU: its setting stays.
            return


def _set_threads(threads: ThreadsConfig) -> None:
    here = tf.config.threading
    if threads.intra_op is not None:
        set_threads = here.set_intra_op_parallelism_threads
        _apply_before_start("training.threads.intra_op", set_threads, threads.intra_op)
    if threads.inter_op is not None:
        set_threads = here.set_inter_op_parallelism_threads
        _apply_before_start("training.threads.inter_op", set_threads, threads.inter_op)


def _select_gpu(number: int, gpus: Sequence[tf.config.PhysicalDevice]) -> tf.config.PhysicalDevice:
    require_gpu(number, len(gpus))
    return gpus[number]


def _apply_before_start(key: str, setter: Callable[..., None], *values: Any) -> None:
    try:
        setter(*values)
    except RuntimeError as error:
        raise ConfigError(
            f"{key}: TensorFlow runs already in this process: {error}",
            "remove the key if the training shares its process with other components",
        ) from error
