"""The replica or worker with the first NaN loss is named, with its batch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attr
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_transform as tft
from supervised import Supervised
from support import with_long
from tiny_models import Trained

from trainer_module.fit.callbacks.divergence import describe_batch
from trainer_module.input.batching import Replicas, training_batching
from trainer_module.input.dataset import make_batches
from trainer_module.input.examples import open_examples

FAMILY = """
import os
import tensorflow as tf
import tf_keras

class Poisoned(tf_keras.layers.Layer):
    def call(self, numbers):
        is_poison = numbers[:, :1] == tf.constant(float(os.environ["POISON"]), tf.float32)
        return tf.where(is_poison, float("nan"), numbers)

def scores(inputs, head, config):
    miles = next(tensor for name, tensor in inputs.by_name.items() if "miles" in name)
    return tf_keras.layers.Dense(head.units)(Poisoned()(miles))
"""


MIRRORED = """
import json, sys
from types import SimpleNamespace
import tensorflow as tf
from trainer_module.run import run_fn

(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
run_fn(SimpleNamespace(**json.load(open(sys.argv[1]))))
"""


# TensorFlow makes three more steps before Python looks.
TRAINING = {"global_batch_size": 8, "steps_per_execution": 8}


MODEL = {"family": "poisoned.scores"}


STEP = 5
"""Counted from 0."""


def poison(trained: Trained, replicas: Replicas) -> tuple[float, str]:
    """Returns a number that only this process's last replica sees, in STEP, and the message."""
    spec = tft.TFTransformOutput(trained.fn_args.transform_graph_path).transformed_feature_spec()
    examples = open_examples(trained.fn_args.train_files, spec)
    batching = training_batching(examples.row_count, TRAINING["global_batch_size"], replicas)
    batches = list(
        make_batches(examples, batching, replicas, seed=0).take((STEP + 1) * replicas.local)
    )
    name = next(name for name in batches[0][0] if "miles" in name)
    number = next(_rare(examples.load(0, examples.row_count), batches[-1][0][name].numpy()[:, 0]))
    described = describe_batch(batches[-replicas.local :])
    return number, f"in epoch 1, at step {STEP + 1}, whose batch has {described}"


def _rare(matrices: dict[str, np.ndarray], numbers: np.ndarray) -> Iterator[float]:
    rows = np.concatenate([matrix.ravel() for matrix in matrices.values()])
    return (float(number) for number in numbers if np.count_nonzero(rows == number) == 1)


@pytest.fixture
def family(tmp_path: Path) -> None:
    (tmp_path / "poisoned.py").write_text(FAMILY)


@pytest.mark.slow
@pytest.mark.usefixtures("family")
@pytest.mark.parametrize("loop", with_long(["fit", "custom"], ["fit"]))
def test_the_batch_of_the_replica_with_the_first_nan_loss_is_described(
    loop: str, binary: Trained, tmp_path: Path
) -> None:
    number, message = poison(binary, Replicas(local=2))
    assert "has 8 rows" in message
    fields = attr.asdict(binary.fn_args)
    config = fields["custom_config"]
    training = {**TRAINING, "strategy": "mirrored", "loop": loop}
    for section, settings in {"training": training, "model": MODEL}.items():
        config[section] = json.dumps({**json.loads(config[section]), **settings})
    config["backup_directory"] = str(tmp_path / "backup")
    fields["model_run_dir"] = str(tmp_path / "run")
    (tmp_path / "arguments.json").write_text(json.dumps(fields))
    done = subprocess.run(
        [sys.executable, "-c", MIRRORED, str(tmp_path / "arguments.json")],
        env={
            **os.environ,
            "POISON": repr(number),
            "TF_USE_LEGACY_KERAS": "1",
            "PYTHONPATH": os.pathsep.join((os.getcwd(), str(tmp_path))),
        },
        capture_output=True,
        text=True,
    )
    assert f"training diverged: the loss is nan {message}" in done.stderr, done.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.usefixtures("family")
def test_the_worker_with_the_first_nan_loss_ends_the_run(
    binary: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, message = poison(binary, Replicas(workers=2, index=1))
    monkeypatch.setenv("POISON", repr(number))
    run = Supervised(tmp_path, binary, {**TRAINING, "workers": 2}, MODEL)
    assert run.start().wait(300) == 1
    assert run.log.splitlines()[-1].endswith(f"training diverged: the loss is nan {message}")


def test_the_features_of_the_largest_values_are_described() -> None:
    """One batch for each of two replicas."""
    features = {"a": [[1.0]], "b": [[-7.0]], "c": [[np.nan]], "d": [[2.0]], "id": [[5]]}
    batch = ({name: tf.constant(rows) for name, rows in features.items()}, tf.constant([[1]]))
    other = ({**batch[0], "a": tf.constant([[3.0]])}, tf.constant([[0]]))
    assert describe_batch([batch, other]) == (
        "2 rows, labels 0 to 1; 'c' no finite value, and 2 NaN or infinite; 'b' -7 to -7; "
        "'a' 1 to 3"
    )
