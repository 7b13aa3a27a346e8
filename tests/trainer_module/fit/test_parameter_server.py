"""A chief that schedules steps on two workers and a server, all real, in one process."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import attr
import pytest
import tensorflow as tf
import tf_keras
from tiny_models import Trained

from components.supervision.failure_report import FailureReport
from trainer_module.fit.loop import EpochPlan
from trainer_module.fit.parameter_server import CoordinatorCallbacks, coordinated_fit

# Without the restrictions, the test shows that TensorFlow fails with the refused settings.
_RUNS = """
import json, os, sys
from types import SimpleNamespace
import tensorflow as tf
from components.supervision.cluster import make_local_cluster
from pipeline.config.sections import strategies
from trainer_module.run import run_fn

strategies.RESTRICTIONS = ()
cluster = make_local_cluster({"chief": 1, "worker": 2, "ps": 1})
chief, *others = cluster.tasks
spec = tf.train.ClusterSpec(cluster.addresses)
# All servers share the threads of this process, and each server waits in a thread for another.
config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=8)
servers = [tf.distribute.Server(spec, task.type, task.index, config=config) for task in others]
os.environ["TF_CONFIG"] = cluster.to_tf_config(chief)
errors = {}
for name, arguments in json.load(open(sys.argv[1])).items():
    try:
        run_fn(SimpleNamespace(**arguments))
    except Exception as error:
        errors[name] = f"{type(error).__name__}: {error}"
json.dump(errors, open(sys.argv[2], "w"))
sys.stdout.flush()
os._exit(0)
"""


COMMON = {
    "epochs": 3, "global_batch_size": 8, "workers": 2, "early_stopping_patience": 0,
    # Another worker changes the weights during a step, so steps have to be small.
    "learning_rate": 0.002,
}  # fmt: skip


RUNS: dict[str, dict[str, Any]] = {
    "by name": {"strategy": "parameter_server"},
    "by environment": {"strategy": "auto"},
    "piecewise": {"strategy": "parameter_server", "micro_batch_size": 3},
    "bfloat16": {"strategy": "parameter_server", "precision": "mixed_bfloat16"},
    "weights": {"strategy": "parameter_server", "class_weights": "balanced"},
}


PROFILED = {"strategy": "parameter_server", "tensorboard": {"profile_steps": [2, 20]}}


REFUSED = {
    "float16": {"strategy": "parameter_server", "precision": "mixed_float16"},
    "jit": {"strategy": "parameter_server", "jit_compile": True},
}


@pytest.fixture(scope="module")
def folder(binary: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The outputs of all runs, with the errors of the failed runs."""
    folder = tmp_path_factory.mktemp("parameter_server")
    runs = {}
    for name, training in {**RUNS, "profiled": PROFILED, **REFUSED}.items():
        fields = attr.asdict(binary.fn_args)
        config = fields["custom_config"]
        config["training"] = json.dumps({**json.loads(config["training"]), **COMMON, **training})
        config["backup_directory"] = str(folder / "backup" / name)
        fields["serving_model_dir"] = str(folder / "model" / name)
        fields["model_run_dir"] = str(folder / "run" / name)
        runs[name] = fields
    (folder / "runs.json").write_text(json.dumps(runs))
    done = subprocess.run(
        [sys.executable, "-c", _RUNS, str(folder / "runs.json"), str(folder / "errors.json")],
        env={**os.environ, "TF_USE_LEGACY_KERAS": "1", "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


def errors(folder: Path) -> dict[str, str]:
    messages: dict[str, str] = json.loads((folder / "errors.json").read_text())
    return messages


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_all_planned_steps_run_and_a_model_is_exported(name: str, folder: Path) -> None:
    """The model may be bad after so few steps, since workers run them in any order."""
    assert name not in errors(folder)
    history = json.loads((folder / "run" / name / "history.json").read_text())
    assert [epoch["steps"] for epoch in history["epochs"]] == [30, 60, 90]
    assert all(math.isfinite(epoch["eval_loss"]) for epoch in history["epochs"])
    assert (folder / "model" / name / "saved_model.pb").exists()


@pytest.mark.long
@pytest.mark.slow
def test_tensorflow_fails_with_the_settings_that_the_project_refuses(folder: Path) -> None:
    assert "Mixed precision is not supported" in errors(folder)["float16"]
    assert "tfvariable_on_a_different_device" in errors(folder)["jit"]
    assert "profiled" not in errors(folder)
    assert not list((folder / "run/profiled").rglob("*.xplane.pb"))


class Recorded(tf_keras.callbacks.Callback):
    """Records the calls about evaluations and the ends of epochs."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def on_test_begin(self, logs: Any = None) -> None:
        self.calls.append("begin")

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self.calls.append(f"batch {batch}")

    def on_test_end(self, logs: Any = None) -> None:
        self.calls.append("end")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.calls.append(f"epoch {epoch}")


def test_callbacks_see_the_evaluations_of_the_chief() -> None:
    model, copy = (
        tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(1,))]) for _ in range(2)
    )
    for each in (model, copy):
        each.compile("sgd", "mse")
    batch = tf.ones([4, 1]), tf.ones([4, 1])
    batches = tf.data.Dataset.from_tensors(batch).repeat()
    recorded = Recorded()
    coordinated_fit(copy, model, batches, batches, EpochPlan(0, 2, 3, 2), [recorded])
    evaluation = ["begin", "batch 0", "batch 1", "end"]
    assert recorded.calls == [*evaluation, "epoch 0", *evaluation, "epoch 1"]


def test_an_epoch_with_more_steps_than_planned_is_aborted() -> None:
    """This happens if a worker is lost and another worker repeats its steps."""
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd")
    callback = CoordinatorCallbacks([], evaluate=lambda weights: {"loss": 0.5})
    callback.set_model(model)
    callback.set_params({"steps": 3})
    callback.on_epoch_begin(0)
    model.optimizer.iterations.assign_add(3)
    logs: dict[str, float] = {}
    callback.on_epoch_end(0, logs)
    assert logs == {"val_loss": 0.5}

    callback.on_epoch_begin(1)
    model.optimizer.iterations.assign_add(4)
    with pytest.raises(tf.errors.AbortedError, match="4 steps ran instead of 3") as caught:
        callback.on_epoch_end(1, {})
    assert FailureReport.from_exception(caught.value).lost_peer, (
        "the supervisor restarts all tasks from the previous epoch"
    )
