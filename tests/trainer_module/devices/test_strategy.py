"""Every strategy of one machine, with every precision, on two logical devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attr
import numpy as np
import pytest
import tensorflow as tf
from support import with_long
from tiny_models import Trained

from trainer_module.devices.strategy import _detect_strategy, replicas_of
from trainer_module.fit.warm_start import read_weights
from trainer_module.input.batching import Replicas

_RUNS = """
import json, sys
from types import SimpleNamespace
import tensorflow as tf
from fit_alone import fit_alone
from pipeline.config.sections import strategies
from trainer_module.run import run_fn

(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
exported, fitted, refused = json.load(open(sys.argv[1]))
for arguments in exported:
    run_fn(SimpleNamespace(**arguments))
for arguments in fitted:
    fit_alone(SimpleNamespace(**arguments))
# Without the restrictions, TensorFlow fails with the refused settings.
strategies.RESTRICTIONS, errors = (), {}
for name, arguments in refused.items():
    try:
        run_fn(SimpleNamespace(**arguments))
    except Exception as error:
        errors[name] = str(error)
json.dump(errors, open(sys.argv[2], "w"))
"""


PATH = (os.getcwd(), str(Path(__file__).parents[1]))


# Batches of 8 divide the 240 rows evenly, so that all strategies see the same batches.
COMMON = {"epochs": 2, "global_batch_size": 8}


RUNS: dict[str, dict[str, Any]] = {
    "none": {},
    "none, again": {},
    "none, fit": {"loop": "fit"},
    "none, piecewise": {"micro_batch_size": 3},
    "none, in one piece": {"micro_batch_size": 10**12},
    "none, jit": {"jit_compile": True},
    "none, piecewise, jit": {"micro_batch_size": 3, "jit_compile": True},
    "none, float16": {"precision": "mixed_float16"},
    "mirrored": {"strategy": "mirrored"},
    "mirrored, fit": {"strategy": "mirrored", "loop": "fit"},
    "mirrored, fit, float16": {
        "strategy": "mirrored", "loop": "fit", "precision": "mixed_float16", "micro_batch_size": 3,
    },
    "mirrored, piecewise": {"strategy": "mirrored", "micro_batch_size": 3},
    "mirrored, jit": {"strategy": "mirrored", "jit_compile": True},
    "mirrored, float16": {
        "strategy": "mirrored", "precision": "mixed_float16", "micro_batch_size": 3,
    },
    "mirrored, bfloat16": {"strategy": "mirrored", "precision": "mixed_bfloat16"},
    "central_storage": {"strategy": "central_storage"},
    "central_storage, custom": {"strategy": "central_storage", "loop": "custom"},
    "central_storage, piecewise": {"strategy": "central_storage", "micro_batch_size": 3},
    "central_storage, bfloat16": {"strategy": "central_storage", "precision": "mixed_bfloat16"},
}  # fmt: skip


FEW = ("none", "none, again", "mirrored", "central_storage")
"""The runs of `make test`."""


EXPORTED = ("none", "none, again", "mirrored, fit, float16", "central_storage, bfloat16")
"""The runs that export a model: those with compared weights, and one of each strategy, whose model
leaves the strategy and its precision. An export takes as long as its fit."""


REFUSED: dict[str, dict[str, Any]] = {
    "float16": {"strategy": "central_storage", "precision": "mixed_float16"},
    "jit": {"strategy": "central_storage", "jit_compile": True},
}


History = dict[str, Any]


def arguments(trained: Trained, folder: Path, name: str, training: dict[str, Any]) -> Any:
    """Returns the trainer's arguments, with outputs below `folder`."""
    fields = attr.asdict(trained.fn_args)
    config = fields["custom_config"]
    config["training"] = json.dumps({**json.loads(config["training"]), **COMMON, **training})
    config["backup_directory"] = str(folder / "backup" / name)
    fields["serving_model_dir"] = str(folder / "model" / name)
    fields["model_run_dir"] = str(folder / "run" / name)
    return fields


def make_runs(
    trained: Trained, folder: Path, names: Iterable[str], refusals: dict[str, dict[str, Any]]
) -> Path:
    """Makes all runs in a single process; returns the directory of their outputs."""
    runs = {name: arguments(trained, folder, name, RUNS[name]) for name in names}
    exported = [runs.pop(name) for name in EXPORTED if name in runs]
    refused = {n: arguments(trained, folder, n, training) for n, training in refusals.items()}
    (folder / "runs.json").write_text(json.dumps([exported, [*runs.values()], refused]))
    done = subprocess.run(
        [sys.executable, "-c", _RUNS, str(folder / "runs.json"), str(folder / "errors.json")],
        env={**os.environ, "TF_USE_LEGACY_KERAS": "1", "PYTHONPATH": os.pathsep.join(PATH)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def few(binary: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_runs(binary, tmp_path_factory.mktemp("few"), FEW, {})


@pytest.fixture(scope="module")
def others(binary: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [name for name in RUNS if name not in FEW]
    return make_runs(binary, tmp_path_factory.mktemp("others"), names, REFUSED)


def read_history(folder: Path, name: str) -> History:
    history: History = json.loads(Path(folder, "run", name, "history.json").read_text())
    return history


def losses(history: History) -> list[float]:
    return [value for epoch in history["epochs"] for value in (epoch["loss"], epoch["eval_loss"])]


@pytest.mark.slow
@pytest.mark.parametrize("name", with_long(RUNS, RUNS.keys() - set(FEW)))
def test_every_strategy_and_precision_trains_the_same_model(
    name: str, few: Path, request: pytest.FixtureRequest
) -> None:
    folder = few if name in FEW else request.getfixturevalue("others")
    history, alone = read_history(folder, name), read_history(few, "none")
    assert history["replicas"] == (1 if name.startswith("none") else 2)
    assert [epoch["steps"] for epoch in history["epochs"]] == [30, 60]
    if "float16" in name:  # Roundings grow with the steps: after the first epoch they are small.
        assert losses(history)[:2] == pytest.approx(losses(alone)[:2], rel=5e-2)
    else:
        assert losses(history) == pytest.approx(losses(alone), rel=1e-5)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights_bit_for_bit(few: Path) -> None:
    names = ("none", "none, again")
    first, again = (read_history(few, name) for name in names)
    assert losses(first) == losses(again)
    one, other = (read_weights(str(few / "model" / name)) for name in names)
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.slow
@pytest.mark.long
def test_tensorflow_fails_with_the_settings_that_the_project_refuses(others: Path) -> None:
    errors = json.loads((others / "errors.json").read_text())
    assert "Mixed precision is not supported" in errors["float16"], errors
    assert "tfvariable_on_a_different_device" in errors["jit"], errors


def test_one_device_is_one_replica() -> None:
    assert replicas_of(tf.distribute.get_strategy()) == Replicas()


@pytest.mark.parametrize(
    ("jobs", "name"),
    [
        ({}, "none"),
        ({"chief": 1}, "none"),
        ({"chief": 1, "worker": 1}, "multi_worker"),
        ({"worker": 2}, "multi_worker"),
        ({"chief": 1, "worker": 1, "ps": 1}, "parameter_server"),
    ],
)
def test_the_cluster_decides_what_auto_stands_for(
    jobs: dict[str, int], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = {job: ["localhost:1"] * count for job, count in jobs.items()}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster}))
    monkeypatch.delenv("TPU_NAME", raising=False)
    assert _detect_strategy() == name
