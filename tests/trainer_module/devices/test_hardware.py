"""Devices and threads before TensorFlow starts; each check runs in its own process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_CHECK = """
import json, sys
import tensorflow as tf
from pipeline.config import TrainingConfig
from pipeline.core.errors import ConfigError
from trainer_module.devices.strategy import make_strategy

if sys.argv[2] == "started":
    tf.constant(1) + 1
try:
    make_strategy(TrainingConfig.model_validate(json.loads(sys.argv[1])))
except ConfigError as error:
    print(f"{error} ({error.hint})")
else:
    tf.constant(1) + 1
    threads = tf.config.threading
    print(
        threads.get_intra_op_parallelism_threads(), threads.get_inter_op_parallelism_threads(),
        [device.device_type for device in tf.config.get_visible_devices()],
    )
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("training", "started", "message"),
    [
        ('{"threads": {"intra_op": 3, "inter_op": 2}, "devices": []}', "", "3 2 ['CPU']"),
        pytest.param('{"threads": {"inter_op": 5}}', "", "0 5 ['CPU']", marks=pytest.mark.long),
        (
            '{"threads": {"intra_op": 3}}',
            "started",
            "training.threads.intra_op: TensorFlow runs already in this process",
        ),
        ('{"devices": [1]}', "", "training.devices: there is no GPU 1; this machine has none"),
    ],
)
def test_devices_and_threads_are_set_or_refused(training: str, started: str, message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHECK, training, started],
        env={**os.environ, "PYTHONPATH": os.getcwd(), "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert message in done.stdout, done.stdout + done.stderr[-2000:]
