"""Runs the TensorFlow server of workers and parameter servers in a cluster with a chief.

The chief sends the functions to execute, so these processes do not load the training code.
"""

from __future__ import annotations

import json
import os
import threading

import tensorflow as tf

from components.supervision.cluster import Task
from pipeline.config import TrainingConfig

_SPARE_THREADS = 2
"""Inter-op threads besides one for each worker.

Operations that wait for other workers block their thread. Without a spare thread, all threads may
wait and the cluster deadlocks.
"""


def run_server(training: TrainingConfig, task: Task) -> None:
    """Serves the chief until this process is ended."""
    cluster = json.loads(os.environ["TF_CONFIG"])["cluster"]
    config = _make_session_config(training, task)
    # The server ends when nothing refers to it.
    server = tf.distribute.Server(cluster, task.type, task.index, config=config)
    # Not `server.join()`: it blocks in native code, where Python handles no signal.
    while server is not None:
        threading.Event().wait()


def _make_session_config(training: TrainingConfig, task: Task) -> tf.compat.v1.ConfigProto:
    """Returns the chief's thread and GPU settings; a parameter server uses no GPU."""
    threads = training.threads
    inter_op = threads.inter_op or (os.cpu_count() or 1)
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=threads.intra_op or 0,
        inter_op_parallelism_threads=max(inter_op, training.workers + _SPARE_THREADS),
    )
    config.gpu_options.allow_growth = True
    if training.devices is not None:
        config.gpu_options.visible_device_list = ",".join(map(str, training.devices))
    if task.type == "ps" or training.devices == ():
        config.device_count["GPU"] = 0
    return config
