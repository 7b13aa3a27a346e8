"""A TensorFlow server executes what another process sends, with the configured threads."""

from __future__ import annotations

import json
import threading

import pytest
import tensorflow as tf

from components.supervision.cluster import Task, make_local_cluster
from components.supervision.tensorflow_server import _make_session_config, run_server
from pipeline.config import TrainingConfig


def test_a_server_computes_for_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, task = make_local_cluster({"worker": 1}), Task("worker", 0)
    monkeypatch.setenv("TF_CONFIG", cluster.to_tf_config(task))
    threading.Thread(target=run_server, args=(TrainingConfig(), task), daemon=True).start()
    [address] = json.loads(cluster.to_tf_config(task))["cluster"]["worker"]
    with tf.Graph().as_default():
        three = tf.constant(1) + tf.constant(2)
        with tf.compat.v1.Session(f"grpc://{address}") as session:
            assert session.run(three) == 3


def test_a_parameter_server_uses_no_gpu_and_a_worker_may() -> None:
    training = TrainingConfig()
    assert _make_session_config(training, Task("ps", 0)).device_count["GPU"] == 0
    assert "GPU" not in _make_session_config(training, Task("worker", 0)).device_count


def test_a_server_has_more_inter_op_threads_than_there_are_workers() -> None:
    training = TrainingConfig.model_validate(
        {"workers": 3, "strategy": "parameter_server", "threads": {"inter_op": 1, "intra_op": 2}}
    )
    config = _make_session_config(training, Task("worker", 0))
    assert config.inter_op_parallelism_threads > 3
    assert config.intra_op_parallelism_threads == 2
