"""Runs trainings with the real supervisor, workers and trainer, without a pipeline.

The supervisor is a process too, so that a test can kill it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tfx.types import standard_artifacts
from tiny_models import Trained

from components.distributed_trainer.training_job import TrainingJob
from components.supervision.cluster import Cluster
from pipeline.config import TrainingConfig

_SUPERVISOR = """
import json, logging, signal, sys
from components.supervision.cluster import Cluster, make_local_cluster
from components.supervision.processes import ProcessAttempt, ProcessLauncher
from components.supervision.supervisor import Policy, supervise

def interrupt(*_):
    raise KeyboardInterrupt

class Launcher(ProcessLauncher):
    taken = None
    def start(self):
        port, self.taken = self.taken, None
        if port is None:
            return super().start()
        first, *_ = make_local_cluster({"worker": 1}).addresses["worker"]
        return ProcessAttempt(Cluster({"worker": [first, f"localhost:{port}"]}), self._job)

signal.signal(signal.SIGTERM, interrupt)
logging.basicConfig(format="%(created).2f %(message)s")
job, tasks, stall_seconds, taken = json.load(open(sys.argv[1]))
launcher = Launcher(job, tasks)
launcher.taken = taken
supervise(launcher, Policy(stall_seconds=stall_seconds))
"""


@dataclass
class Supervised:
    """One training in its own folder, which a test may start several times."""

    folder: Path
    trained: Trained
    training: Mapping[str, Any]
    model: Mapping[str, Any] = field(default_factory=dict)
    examples: Path | None = None
    """Directory of the transformed examples; None for the examples of `trained`."""
    stall_seconds: float = 300
    taken: int | None = None
    """A port in use by another process: the second worker gets it in the first attempt."""

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the supervisor, which appends its output to `log`."""
        self.folder.mkdir(exist_ok=True)
        config = TrainingConfig.model_validate(self._custom("training", self.training))
        arguments = [self.job().to_line(), config.tasks, self.stall_seconds, self.taken]
        path = self.folder / "arguments.json"
        path.write_text(json.dumps(arguments))
        environment = {
            **os.environ,
            "TF_USE_LEGACY_KERAS": "1",
            "PYTHONPATH": os.pathsep.join((os.getcwd(), str(self.folder))),
            "PIPELINE_EVENTS": str(self.folder / "events.jsonl"),
        }
        with self.log_file.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-c", _SUPERVISOR, str(path)],
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def finish(self, process: subprocess.Popen[bytes] | None = None) -> None:
        """Waits until the supervisor ends with code 0 and without leaving processes behind."""
        code = (process or self.start()).wait(timeout=400)
        assert code == 0, self.log[-5000:]
        assert self.processes() == {}

    def wait_for_epoch(self, epoch: int, process: subprocess.Popen[bytes]) -> None:
        """Waits until an epoch, counted from 1, has ended."""
        self.wait(lambda: epoch in self.ended_epochs(), process)

    def wait(
        self, condition: Callable[[], bool], process: subprocess.Popen[bytes] | None = None
    ) -> None:
        deadline = time.monotonic() + 400
        while not condition():
            assert process is None or process.poll() is None, self.log[-5000:]
            assert time.monotonic() < deadline, self.log[-5000:]
            time.sleep(0.05)

    def wait_for_restart(self, words: str, since: float, process: subprocess.Popen[bytes]) -> float:
        """Waits for a restart with these words in the log; returns the seconds since `since`."""
        self.wait(lambda: self._restart(words, since) is not None, process)
        found = self._restart(words, since)
        assert found is not None
        return found - since

    def _restart(self, words: str, since: float) -> float | None:
        for line in self.log.splitlines():
            if words in line and "; restart " in line and float(line.split()[0]) >= since:
                return float(line.split()[0])
        return None

    @property
    def log_file(self) -> Path:
        return self.folder / "log"

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    def ended_epochs(self) -> list[int]:
        """Returns the epochs in the order of their ends; a repeated epoch occurs again."""
        return [e["epoch"] for e in self.events() if e.get("eval_loss") is not None]

    def events(self) -> list[dict[str, Any]]:
        path = self.folder / "events.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def processes(self) -> dict[str, int]:
        """Returns the ids of the running processes of the cluster, by task name."""
        return dict(_tasks_of(f"PIPELINE_EVENTS={self.folder}/events.jsonl"))

    def kill(self, name: str, signal_: signal.Signals = signal.SIGKILL) -> float:
        """Sends a signal to a process of the cluster and returns the time."""
        moment = time.time()
        os.kill(self.processes()[name], signal_)
        return moment

    @property
    def history(self) -> dict[str, Any]:
        history: dict[str, Any] = json.loads((self.folder / "run/history.json").read_text())
        return history

    def weights(self) -> list[Any]:
        """Returns the weights of the exported model."""
        path = str(self.folder / "model/Format-Serving/variables/variables")
        reader = tf.train.load_checkpoint(path)
        names = sorted(reader.get_variable_to_shape_map())
        tensors = [reader.get_tensor(name) for name in names]
        return [t for t in tensors if getattr(t, "dtype", None) == np.float32]

    def _custom(self, section: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {**json.loads(self.trained.fn_args.custom_config[section]), **settings}

    def job(self) -> TrainingJob:
        root = Path(self.trained.fn_args.schema_path).parents[1]
        examples = _artifact(standard_artifacts.Examples, self.examples or root / "transformed")
        examples.split_names = json.dumps(["train", "eval"])
        custom = dict(self.trained.fn_args.custom_config)
        for section, settings in {"training": self.training, "model": self.model}.items():
            custom[section] = json.dumps(self._custom(section, settings))
        custom["backup_directory"] = str(self.folder / "backup")
        return TrainingJob(
            {
                "examples": [examples],
                "transform_graph": [_artifact(standard_artifacts.TransformGraph, root / "graph")],
                "schema": [_artifact(standard_artifacts.Schema, root / "schema")],
            },
            {
                "model": [_artifact(standard_artifacts.Model, self.folder / "model")],
                "model_run": [_artifact(standard_artifacts.ModelRun, self.folder / "run")],
            },
            {
                "run_fn": "trainer_module.run.run_fn",
                "train_args": json.dumps({"splits": ["train"]}),
                "eval_args": json.dumps({"splits": ["eval"]}),
                "custom_config": json.dumps(custom),
            },
        )


def _artifact(kind: type, uri: Path) -> Any:
    artifact = kind()
    artifact.uri = str(uri)
    return artifact


def _tasks_of(variable: str) -> Iterator[tuple[str, int]]:
    """Yields task name and id of the cluster's processes with this text in their environment."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            entries = path.read_text(errors="replace").split("\0")
        except OSError:  # The process has ended meanwhile, or belongs to another user.
            continue
        config = next((entry for entry in entries if entry.startswith("TF_CONFIG=")), None)
        if variable in entries and config is not None:
            _, task = Cluster.from_tf_config(config.removeprefix("TF_CONFIG="))
            yield task.name, int(path.parent.name)
