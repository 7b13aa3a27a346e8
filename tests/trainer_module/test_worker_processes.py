"""The trainer in separate processes: two workers of a cluster, and a process that is killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attr
import numpy as np
import pytest
import tensorflow as tf
from tiny_models import Trained
from tiny_run import to_example

from trainer_module.fit.warm_start import read_weights

pytestmark = pytest.mark.slow

# As in a worker of the project, which imports no TFX.
_WORKER = """
import json, sys
from types import SimpleNamespace
from trainer_module.run import run_fn
run_fn(SimpleNamespace(**json.load(open(sys.argv[1]))))
"""

_COUNTED = (
    """
import tensorflow as tf
from trainer_module.fit import loop

run = loop._Loop.run

def run_counted(self, batches, evaluation_batches):
    looped = (self._train, batches), (self._test, evaluation_batches)
    counts = [count(function, iterator, tf.constant(1)) for function, iterator in looped]
    counts.append(count(self._mean_loss))
    json.dump([*counts, isinstance(batches, tf.data.Iterator)], open(sys.argv[2], "w"))
    run(self, batches, evaluation_batches)

def count(function, *arguments):
    graph = function.get_concrete_function(*arguments).graph.as_graph_def()
    nodes = [graph.node, *(f.node_def for f in graph.library.function)]
    return sum("Collective" in node.op for body in nodes for node in body)

loop._Loop.run = run_counted
"""
    + _WORKER
).replace("import tensorflow", "import json, sys\nimport tensorflow", 1)

_LATE = (
    """
import json, os
from trainer_module.fit.backup import FitState

# The worker's clock alone is ahead, from the eighth step of the last epoch on.
is_worker = json.loads(os.environ["TF_CONFIG"])["task"]["type"] == "worker"
is_late = lambda state: is_worker and len(state.epochs) == 3 and state.step >= 8
FitState.seconds = property(lambda state: 3.0 if is_late(state) else 0.0)
"""
    + _WORKER
)

_IMPATIENT = """
from pipeline.core import ownership
ownership.PATIENCE_SECONDS = 0.5
"""

_KILLED = (
    """
import os, signal, sys
from trainer_module.fit.backup import Backup

save = Backup.save

def save_and_die(backup):
    save(backup)
    if [len(backup.state.epochs), backup.state.step > 0] == json.loads(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

Backup.save = save_and_die
"""
    + _WORKER
).replace("import os,", "import json, os,")


def arguments(trained: Trained, folder: Path, name: str, **training: Any) -> Path:
    """Writes a file of the trainer's arguments, with outputs below `folder`."""
    fields = attr.asdict(trained.fn_args)
    settings = json.loads(fields["custom_config"]["training"]) | training
    fields["custom_config"]["training"] = json.dumps(settings)
    fields["serving_model_dir"] = str(folder / f"model-{name}")
    fields["model_run_dir"] = str(folder / f"run-{name}")
    fields["custom_config"]["backup_directory"] = str(folder / "backup")
    path = folder / f"arguments-{name}.json"
    path.write_text(json.dumps(fields))
    return path


def start(
    arguments: Path,
    events: Path,
    tf_config: Mapping[str, Any],
    script: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "TF_CONFIG": json.dumps(tf_config),
        "TF_USE_LEGACY_KERAS": "1",
        "PYTHONPATH": os.getcwd(),
        "PIPELINE_EVENTS": str(events),
    }
    with arguments.with_suffix(".log").open("w") as log:
        return subprocess.Popen(
            [sys.executable, "-c", *(script or [_WORKER, str(arguments)])],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


BACKED_UP_OFTEN = {"recovery": {"backup_seconds": 1e-4}, "steps_per_execution": 1}


def finish(process: subprocess.Popen[bytes], arguments: Path) -> None:
    code = process.wait(timeout=300)
    assert code == 0, arguments.with_suffix(".log").read_text()[-3000:]


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def read_events(path: Path) -> list[dict[str, Any]]:
    """Returns the progress and resumed events."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [e for e in map(json.loads, lines) if e["event"] in ("progress", "resumed")]


def history_of(folder: Path, name: str) -> dict[str, Any]:
    history: dict[str, Any] = json.loads((folder / f"run-{name}" / "history.json").read_text())
    return history


@pytest.mark.parametrize("loop", [pytest.param("fit", marks=pytest.mark.long), "custom"])
def test_two_workers_train_one_model_and_the_chief_exports_it(
    loop: str, binary: Trained, tmp_path: Path
) -> None:
    """Both workers have to back up after the same steps within the epochs.

    A step waits for the other worker once, for the gradients, and a step of the evaluation never.
    With a time limit, both workers have to stop after the same step, whatever their clocks say.
    """
    events = tmp_path / "events.jsonl"
    cluster = {
        task: [f"localhost:{port}"]
        for task, port in zip(("chief", "worker"), free_ports(2), strict=True)
    }
    processes = []
    for task in cluster:
        limit = {"seconds": 1.0} if loop == "fit" else {}
        path = arguments(binary, tmp_path, task, loop=loop, **BACKED_UP_OFTEN, **limit)
        config = {"cluster": cluster, "task": {"type": task, "index": 0}}
        script = [_COUNTED, str(path), str(tmp_path / "counts.json")]
        if limit:
            script = [_LATE, str(path)]
        processes.append((start(path, events, config, script), path))
    for process, path in processes:
        finish(process, path)
    if loop == "custom":
        assert json.loads((tmp_path / "counts.json").read_text()) == [1, 0, 2, True]

    folders = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert folders == ["backup", "locks", "model-chief", "run-chief"]

    history = history_of(tmp_path, "chief")
    # The backup stays until the model is published; the history names it for the runner.
    assert [path.name for path in (tmp_path / "backup").iterdir()] == [history["backup"]]
    assert history["replicas"] == 2
    assert history["global_batch_size"] % 2 == 0
    of_epoch = history["steps_per_epoch"]
    assert of_epoch == 240 // history["global_batch_size"]
    *_, before, last = (epoch["steps"] for epoch in history["epochs"])
    assert before + 8 <= last < before + of_epoch if loop == "fit" else last == before + of_epoch
    alone = json.loads(Path(binary.fn_args.model_run_dir, "history.json").read_text())
    best, best_alone = (min(e["eval_loss"] for e in h["epochs"]) for h in (history, alone))
    assert best == pytest.approx(best_alone, abs=0.15)

    within, at_end = (event["loss"] for event in read_events(events)[:2])
    assert within == pytest.approx(at_end, rel=0.4), "the loss is a mean over the workers"

    signature = tf.saved_model.load(str(tmp_path / "model-chief")).signatures["serving_examples"]
    empty = to_example({}, {}).SerializeToString()
    assert 0 < float(signature(tf.constant([empty]))["probability"][0]) < 1


def kill(path: Path, events: Path, epochs: int, within: bool) -> None:
    """Starts the trainer and kills it after a backup at the end of an epoch or within the next."""
    place = json.dumps([epochs, within])
    process = start(path, events, {}, [_KILLED, str(path), place])
    assert process.wait(timeout=300) == -signal.SIGKILL
    events.unlink()


def test_a_killed_fit_continues_to_the_same_weights_bit_for_bit(
    binary: Trained, tmp_path: Path
) -> None:
    events = tmp_path / "events.jsonl"
    path = arguments(binary, tmp_path, "0", recovery={"backup_seconds": 0})
    kill(path, events, epochs=2, within=False)
    assert not (tmp_path / "model-0").exists()

    finish(start(path, events, {}), path)

    [resumed, *progress] = read_events(events)
    assert (resumed["event"], resumed["epoch"], resumed["step"]) == ("resumed", 2, 0)
    assert all(event["epoch"] > 2 for event in progress)
    epochs = history_of(tmp_path, "0")["epochs"]
    alone = json.loads(Path(binary.fn_args.model_run_dir, "history.json").read_text())["epochs"]
    for one, other in zip(epochs, alone, strict=True):
        del one["seconds"], other["seconds"]
        assert one == other
    weights, expected = read_weights(str(tmp_path / "model-0")), read_weights(binary.model)
    assert weights.keys() == expected.keys()
    assert all(np.array_equal(weights[name], expected[name]) for name in expected)
    [backup] = (tmp_path / "backup").iterdir()
    assert backup.name == history_of(tmp_path, "0")["backup"]


@pytest.mark.long
@pytest.mark.parametrize("loop", ["fit", "custom"])
def test_an_epoch_that_was_interrupted_is_finished(
    loop: str, binary: Trained, tmp_path: Path
) -> None:
    """No step is repeated or skipped; only the epoch's mean training loss covers its rest alone."""
    events = tmp_path / "events.jsonl"
    path = arguments(binary, tmp_path, "0", loop=loop, **BACKED_UP_OFTEN)
    kill(path, events, epochs=1, within=True)

    finish(start(path, events, {}), path)

    [resumed, *progress] = read_events(events)
    assert (resumed["event"], resumed["epoch"]) == ("resumed", 1)
    assert 0 < resumed["step"] < 16
    assert progress[0]["step"] == resumed["step"] + 1
    epochs = history_of(tmp_path, "0")["epochs"]
    assert [epoch["steps"] for epoch in epochs] == [16, 32, 48, 64]
    alone = json.loads(Path(binary.fn_args.model_run_dir, "history.json").read_text())["epochs"]
    assert [e["eval_loss"] for e in epochs] == pytest.approx(
        [e["eval_loss"] for e in alone], abs=1e-4
    )


@pytest.mark.long
def test_a_second_run_of_the_same_training_leaves_the_backup_as_it_is(
    binary: Trained, tmp_path: Path
) -> None:
    """The first run is stopped after its first epoch, and goes on when the second has failed."""
    paths = [arguments(binary, tmp_path, name) for name in ("first", "second")]
    script = [_KILLED.replace("SIGKILL", "SIGSTOP"), str(paths[0]), "[1, false]"]
    first = start(paths[0], tmp_path / "events.jsonl", {}, script)
    try:
        assert os.WIFSTOPPED(os.waitpid(first.pid, os.WUNTRACED)[1])
        backup = {p: p.stat().st_mtime_ns for p in tmp_path.glob("backup/*/*")}
        assert backup
        script = [_IMPATIENT + _WORKER, str(paths[1])]
        second = start(paths[1], tmp_path / "none.jsonl", {}, script)
        assert second.wait(timeout=300) == 1
        log = paths[1].with_suffix(".log").read_text()
        assert f"ConfigError: process {first.pid} on " in log
        assert "is training the same model" in log
        assert {p: p.stat().st_mtime_ns for p in tmp_path.glob("backup/*/*")} == backup
        first.send_signal(signal.SIGCONT)
        finish(first, paths[0])
    finally:
        first.kill()
    assert not (tmp_path / "model-second").exists()
