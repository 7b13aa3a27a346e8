"""The process ends with its parent, in time, and after the `with` statement, whatever it does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import tensorflow as tf
from made_models import honest, save

from components.serving_check.bare_model import (
    COMMAND,
    BareModel,
    Column,
    ModelLostError,
    end_ahead,
    start_ahead,
)

ROOT = Path(__file__).parents[3]
TEXTS = {"examples": Column("string", np.array([b""], np.object_), is_column=False)}
_PARENT = """
import sys
import numpy as np
from components.serving_check.bare_model import BareModel, Column
with BareModel(300) as model:
    model.load(sys.argv[1])
    print(model._process.pid, flush=True)
    text = Column("string", np.array([b""], np.object_), is_column=False)
    model.predict("serving_examples", {"examples": text}, "probability", 1)
"""


def hang(size: Any, count: Any, payment: Any) -> Any:
    """Waits for a value that nobody stages: in native code, and without CPU time."""
    [nothing] = tf.raw_ops.Unstage(dtypes=[tf.float32])
    return honest(size, count, payment) + tf.reshape(nothing, [])


@pytest.fixture(scope="module")
def hanging(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("hanging") / "model", hang)


def test_a_model_that_hangs_is_ended_by_the_time_limit(hanging: Path) -> None:
    with BareModel(300) as model:
        model.load(str(hanging))
        # Not from the start: nobody knows how long this machine takes to import TensorFlow.
        model.limit_time(0.5)
        with pytest.raises(ModelLostError, match=r"before the time limit of 0\.5 s"):
            model.predict("serving_examples", TEXTS, "probability", 1)
        with pytest.raises(ModelLostError):
            model.predict("serving_examples", TEXTS, "probability", 1)
    assert not psutil.pid_exists(model._process.pid)


def test_a_process_that_was_started_ahead_is_asked_once_and_the_rest_is_ended() -> None:
    # The process of the tests may have other children.
    before = {*psutil.Process().children()}
    start_ahead()
    start_ahead()
    [first] = {*psutil.Process().children()} - before
    with BareModel(300) as model:
        assert model._process.pid == first.pid
        start_ahead()
        [second] = {*psutil.Process().children()} - before - {first}
    end_ahead()
    assert not any(map(psutil.pid_exists, (first.pid, second.pid)))
    with BareModel(300) as model:
        assert model._process.pid not in (first.pid, second.pid)


def test_a_process_that_was_started_ahead_and_has_died_is_replaced() -> None:
    before = {*psutil.Process().children()}
    start_ahead()
    [child] = {*psutil.Process().children()} - before
    child.kill()
    child.wait()
    with BareModel(300) as model:
        assert model._process.poll() is None
        assert model._process.pid != child.pid
    end_ahead()


def test_the_process_ends_with_a_killed_parent_in_the_middle_of_a_call(hanging: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(hanging)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    assert child.is_running()
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    with contextlib.suppress(psutil.NoSuchProcess):
        child.wait(timeout=30)
    assert not child.is_running()


def test_nothing_of_the_project_is_imported_and_keras_neither(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    python, isolated, program = COMMAND
    command = (python, isolated, "-X", "importtime", program)
    with BareModel(300, command) as model:
        model.load(str(save(tmp_path / "model", honest)))
        answer = model.predict("serving_examples", TEXTS, "probability", 3)
    assert answer.shape == (3,)
    lines = capfd.readouterr().err.splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines if "] import time" in line}
    assert {"tensorflow", "numpy"} <= imported
    packages = {name.partition(".")[0] for name in imported}
    foreign = {"pipeline", "components", "trainer_module", "serving", "tfx", "pydantic"}
    assert not packages & (foreign | {"tensorflow_transform", "tf_keras", "keras"})


def test_a_process_that_is_not_asked_ends_with_the_block() -> None:
    started = time.monotonic()
    with BareModel(300) as model:
        pid = model._process.pid
    assert not psutil.pid_exists(pid)
    assert time.monotonic() - started < 60
