"""Two real worker processes on one machine, as a cluster would start them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import attr
import numpy as np
import pytest
import tensorflow as tf

from tests.trainer_module.conftest import Trained

pytestmark = pytest.mark.slow

_WORKER = """
import json, sys
import trainer_module
from tfx.components.trainer.fn_args_utils import FnArgs
from trainer_module.run import run_fn
run_fn(FnArgs(**json.load(open(sys.argv[1]))))
"""
_WORKERS = 2


def free_ports() -> list[int]:
    sockets = [socket.socket() for _ in range(_WORKERS)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def run_workers(arguments: list[Path], log_folder: Path) -> None:
    workers = [f"localhost:{port}" for port in free_ports()]
    processes = []
    for index, path in enumerate(arguments):
        task = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}}
        environment = {
            **os.environ,
            "TF_CONFIG": json.dumps(task),
            "PYTHONPATH": os.getcwd(),
            "PIPELINE_EVENTS": str(log_folder / "events.jsonl"),
        }
        with open(log_folder / f"worker-{index}.log", "w") as log:
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-c", _WORKER, str(path)],
                    env=environment,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            )
    for index, process in enumerate(processes):
        output = log_folder / f"worker-{index}.log"
        assert process.wait(timeout=300) == 0, output.read_text()[-3000:]


def test_two_workers_train_one_model_and_the_chief_exports_it(
    binary: Trained, tmp_path: Path
) -> None:
    arguments = []
    for index in range(_WORKERS):
        fields = attr.asdict(binary.fn_args)
        fields["serving_model_dir"] = str(tmp_path / f"model-{index}")
        fields["model_run_dir"] = str(tmp_path / f"run-{index}")
        fields["custom_config"]["backup_directory"] = str(tmp_path / "backup")
        arguments.append(tmp_path / f"arguments-{index}.json")
        arguments[-1].write_text(json.dumps(fields))

    run_workers(arguments, tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [
        "backup", "model-0", "run-0",
    ]  # fmt: skip
    assert list((tmp_path / "backup").iterdir()) == []
    history = json.loads((tmp_path / "run-0" / "history.json").read_text())
    assert history["replicas"] == _WORKERS
    assert history["steps_per_epoch"] == 240 // history["global_batch_size"]
    epochs = [json.loads(line)["epoch"] for line in open(tmp_path / "events.jsonl")]
    assert epochs == sorted(epochs)

    signature = tf.saved_model.load(str(tmp_path / "model-0")).signatures["serving_examples"]
    assert np.isfinite(signature(tf.constant([b""]))["probability"].numpy()).all()
    losses = [epoch["eval_loss"] for epoch in history["epochs"]]
    alone = json.loads(Path(binary.fn_args.model_run_dir, "history.json").read_text())
    assert min(losses) == pytest.approx(
        min(epoch["eval_loss"] for epoch in alone["epochs"]), abs=0.1
    )
