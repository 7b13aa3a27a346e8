"""What workers and parameter servers do where a chief trains: what it tells them.

They run none of the project's code, and so need not load it.
"""

from __future__ import annotations

import json
import os
import threading

import tensorflow as tf

from components.supervision.cluster import Task
from pipeline.config import TrainingConfig

_FEWEST_THREADS = 2
"""Besides one for each worker: where all of them wait for the others, nobody gets any further."""


def serve(training: TrainingConfig, task: Task) -> None:
    """Stands by for the chief until this process is ended."""
    cluster = json.loads(os.environ["TF_CONFIG"])["cluster"]
    config = _session_config(training, task)
    # Without a reference, it would end at once.
    server = tf.distribute.Server(cluster, task.type, task.index, config=config)
    # Not its own way of waiting, in which Python hears no signal.
    while server is not None:
        threading.Event().wait()


def _session_config(training: TrainingConfig, task: Task) -> tf.compat.v1.ConfigProto:
    """Threads and GPUs as the chief has them; a parameter server only keeps variables."""
    threads = training.threads
    inter_op = threads.inter_op or (os.cpu_count() or 1)
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=threads.intra_op or 0,
        inter_op_parallelism_threads=max(inter_op, training.workers + _FEWEST_THREADS),
    )
    config.gpu_options.allow_growth = True
    if training.devices is not None:
        config.gpu_options.visible_device_list = ",".join(map(str, training.devices))
    if task.type == "ps" or training.devices == ():
        config.device_count["GPU"] = 0
    return config
