"""Whatever fails in a cluster, it runs the planned steps, each once, to the same model."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from accidents import small_disk
from supervised import Supervised
from tiny_models import Trained

pytestmark = [pytest.mark.slow, pytest.mark.long]

EPOCHS = 30


STEPS = 30
"""Steps of an epoch."""


WORKERS = {
    "workers": 2,
    "global_batch_size": 8,
    "epochs": EPOCHS,
    "early_stopping_patience": 0,
    "learning_rate": 0.001,
    "recovery": {"backup_seconds": 0},
}


BROKEN = """
import json, os
import tensorflow as tf
import tf_keras

steps = []

def check(numbers):
    steps.append(1)
    if len(steps) == 100 and json.loads(os.environ["TF_CONFIG"])["task"]["index"] == 1:
        raise ValueError("the hundredth step is too much")
    return numbers

class Checked(tf_keras.layers.Layer):
    def call(self, numbers):
        return tf.ensure_shape(tf.py_function(check, [numbers], tf.float32), numbers.shape)

def scores(inputs, head, config):
    return tf_keras.layers.Dense(head.units)(Checked()(inputs.together()))
"""


Record = Callable[[str, object], None]


def check_whole(run: Supervised) -> None:
    """Every planned step ran once."""
    steps = [epoch["steps"] for epoch in run.history["epochs"]]
    assert steps == [STEPS * epoch for epoch in range(1, EPOCHS + 1)]


def check_equal(run: Supervised, calm: Supervised) -> None:
    """The training has the result of a training without failures.

    The training loss of an interrupted epoch is not compared: it covers the rest of the epoch only.
    """
    for epoch, expected in zip(run.history["epochs"], calm.history["epochs"], strict=True):
        for name in (name for name in expected if name.startswith("eval_")):
            assert epoch[name] == pytest.approx(expected[name], abs=1e-5), (name, epoch, expected)
    for weights, expected in zip(run.weights(), calm.weights(), strict=True):
        np.testing.assert_allclose(weights, expected, atol=1e-5)


@pytest.fixture(scope="module")
def calm(binary: Trained, tmp_path_factory: pytest.TempPathFactory) -> Supervised:
    """A training without failures."""
    run = Supervised(tmp_path_factory.mktemp("faults") / "calm", binary, WORKERS)
    run.finish()
    check_whole(run)
    return run


def test_a_training_with_many_failures_equals_a_calm_one(
    binary: Trained, calm: Supervised, tmp_path: Path, record_property: Record
) -> None:
    # Backups within the epochs too.
    often = {**WORKERS, "recovery": {"backup_seconds": 0.05}}
    run = Supervised(tmp_path / "run", binary, often)

    def record_recovery(accident: str, noticed: float, moment: float) -> None:
        """Records the seconds until the failure was noticed and until the next epoch ended."""
        ended = len(run.ended_epochs())
        run.wait(lambda: len(run.ended_epochs()) > ended, process)
        record_property(accident, {"noticed": noticed, "gone on": time.time() - moment})

    with socket.socket() as other:
        other.bind(("localhost", 0))
        other.listen()
        run.taken = other.getsockname()[1]
        moment = time.time()
        process = run.start()
        noticed = run.wait_for_restart("Could not start gRPC server", moment, process)
        record_recovery("port taken", noticed, moment)
    run.taken = None
    for epoch, victim, signal_, words in (
        (5, "worker 1", signal.SIGKILL, "worker 1 was killed by signal 9"),
        (10, "worker 0", signal.SIGKILL, "worker 0 was killed by signal 9"),
        (15, "worker 1", signal.SIGSTOP, ""),
    ):
        run.wait_for_epoch(epoch, process)
        moment = run.kill(victim, signal_)
        record_recovery(
            f"{signal_.name} of {victim}", run.wait_for_restart(words, moment, process), moment
        )
    for epoch, signal_ in ((20, signal.SIGKILL), (25, signal.SIGTERM)):
        run.wait_for_epoch(epoch, process)
        moment = time.time()
        process.send_signal(signal_)
        process.wait()
        run.wait(lambda: run.processes() == {})
        noticed = time.time() - moment
        process = run.start()
        record_recovery(f"{signal_.name} of the supervisor", noticed, moment)
    run.finish(process)

    check_whole(run)
    check_equal(run, calm)
    # Each failure repeats at most the epoch in which it happens.
    assert sorted(set(run.ended_epochs())) == list(range(1, EPOCHS + 1))
    assert len(run.ended_epochs()) <= EPOCHS + 5


def test_a_full_disk_ends_the_training_which_continues_once_there_is_room(
    binary: Trained, calm: Supervised, tmp_path: Path
) -> None:
    run = Supervised(tmp_path / "run", binary, WORKERS)
    run.folder.mkdir()
    with small_disk(run.folder / "backup", megabytes=8):
        process = run.start()
        run.wait_for_epoch(3, process)
        ballast = run.folder / "backup/ballast"
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(4096)):
                pass
        assert process.wait(120) == 1
        assert "No space left on device" in run.log.splitlines()[-1]
        assert "; restart " not in run.log
        assert run.processes() == {}
        ballast.unlink()
        run.finish()
    check_whole(run)
    check_equal(run, calm)


def test_an_error_in_the_code_of_a_worker_is_reported_without_a_restart(
    binary: Trained, tmp_path: Path
) -> None:
    run = Supervised(tmp_path / "run", binary, WORKERS, {"family": "broken.scores"})
    run.folder.mkdir()
    (run.folder / "broken.py").write_text(BROKEN)
    assert run.start().wait(300) == 1
    message = run.log.splitlines()[-1]
    assert "ValueError: the hundredth step is too much" in message, message
    assert "; restart " not in run.log
    assert run.processes() == {}


def test_three_workers_share_files_of_different_sizes(binary: Trained, tmp_path: Path) -> None:
    examples = tmp_path / "examples"
    for split, ends in (("train", (100, 107, 233)), ("eval", (1, 239, 240))):
        (examples / f"Split-{split}").mkdir(parents=True)
        (path,) = Path(binary.fn_args.transform_graph_path).parent.glob(
            f"transformed/Split-{split}/*"
        )
        table = pq.read_table(path)
        for index, (start, end) in enumerate(zip((0, *ends), ends)):
            piece = examples / f"Split-{split}/data-{index}.parquet"
            pq.write_table(table[start:end], piece, use_compliant_nested_type=False)
    training = {**WORKERS, "workers": 3, "global_batch_size": 9, "epochs": 4}
    run = Supervised(tmp_path / "run", binary, training, examples=examples)
    run.finish()
    assert [epoch["steps"] for epoch in run.history["epochs"]] == [25, 50, 75, 100]
    assert run.history["replicas"] == 3
    assert run.history["train_examples"] == 233
    alone = json.loads(Path(binary.fn_args.model_run_dir, "history.json").read_text())
    best, best_alone = (min(e["eval_loss"] for e in h["epochs"]) for h in (run.history, alone))
    # The settings differ: nearness says only that the workers have learned.
    assert best == pytest.approx(best_alone, abs=0.25)


def test_the_loss_of_a_parameter_server_repeats_its_epoch_only(
    binary: Trained, tmp_path: Path, record_property: Record
) -> None:
    # With a single thread, as on one core, a server that others wait for would block.
    training = {**WORKERS, "strategy": "parameter_server", "threads": {"inter_op": 1}}
    run = Supervised(tmp_path / "run", binary, training)
    process = run.start()
    for epoch, victim in ((5, "worker 1"), (10, "ps 0"), (15, "chief")):
        run.wait_for_epoch(epoch, process)
        moment = run.kill(victim)
        noticed = run.wait_for_restart(f"{victim} was killed by signal 9", moment, process)
        record_property(f"SIGKILL of {victim}", {"noticed": noticed})
    run.finish(process)
    check_whole(run)
    assert sorted(set(run.ended_epochs())) == list(range(1, EPOCHS + 1))
    assert len(run.ended_epochs()) <= EPOCHS + 3
    assert min(e["eval_loss"] for e in run.history["epochs"]) < 0.4
