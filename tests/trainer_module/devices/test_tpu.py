"""Connecting to a TPU: the order of the steps, and the errors.

This machine has no TPU. A platform that records its calls shows the order of the steps;
TensorFlow's functions show the error on a machine that only claims to have a TPU.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
import tensorflow as tf

from pipeline.config import TrainingConfig
from pipeline.core.errors import ConfigError
from trainer_module.devices.strategy import make_strategy
from trainer_module.devices.tpu import make_tpu_strategy

VARIABLES = (
    "TPU_NAME",
    "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS",
    "TPU_WORKER_ID",
    "TPU_WORKER_HOSTNAMES",
    "TPU_ACCELERATOR_TYPE",
)


class RecordedPlatform:
    """Records its calls, and may fail at one step."""

    def __init__(self, failing: str = "", error: Exception | None = None) -> None:
        self.calls: list[tuple[str, Any]] = []
        self._failing = failing
        self._error = error

    def resolve(self, name: str) -> str:
        self._note("resolve", name)
        return f"resolver of {name}"

    def connect(self, resolver: str) -> None:
        self._note("connect", resolver)

    def initialize(self, resolver: str) -> None:
        self._note("initialize", resolver)

    def strategy(self, resolver: str) -> tf.distribute.Strategy:
        self._note("strategy", resolver)
        return tf.distribute.get_strategy()

    def _note(self, step: str, argument: Any) -> None:
        self.calls.append((step, argument))
        if step == self._failing and self._error is not None:
            raise self._error


@pytest.fixture(autouse=True)
def no_tpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_a_tpu_is_resolved_connected_and_initialised_before_the_strategy() -> None:
    platform = RecordedPlatform()
    assert make_tpu_strategy("mine", platform) is tf.distribute.get_strategy()
    resolver = "resolver of mine"
    assert platform.calls == [
        ("resolve", "mine"),
        ("connect", resolver),
        ("initialize", resolver),
        ("strategy", resolver),
    ]


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("resolve", ValueError("Please provide a TPU Name to connect to.")),
        ("connect", tf.errors.UnavailableError(None, None, "failed to connect")),
        ("initialize", RuntimeError("TPUs not found in the cluster")),
    ],
)
def test_a_failing_step_to_a_tpu_is_the_last_one(step: str, error: Exception) -> None:
    platform = RecordedPlatform(step, error)
    with pytest.raises(ConfigError, match=r"training\.strategy: no TPU: 'mine' cannot be used"):
        make_tpu_strategy("mine", platform)
    assert platform.calls[-1][0] == step


def test_a_missing_tpu_is_refused_within_a_second() -> None:
    started = time.monotonic()
    with pytest.raises(ConfigError, match="the environment names none") as caught:
        make_strategy(TrainingConfig(strategy="tpu"))
    assert time.monotonic() - started < 1
    assert "mirrored" in caught.value.hint


def test_a_machine_that_only_claims_to_have_a_tpu_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`auto` chooses the TPU, and TensorFlow's functions do not find it."""
    monkeypatch.setenv("TPU_WORKER_ID", "0")
    started = time.monotonic()
    with pytest.raises(ConfigError, match="'local' cannot be used"):
        make_strategy(TrainingConfig())
    assert time.monotonic() - started < 10
