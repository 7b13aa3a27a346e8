"""However the Trainer ends, its workers do too."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster
from scripted_pods import command, is_alive, launcher, starts, wait

from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import ConfigError

TRAINER = """
import json, logging, signal, sys
from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.config import WorkersConfig

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, interrupt)
logging.basicConfig()
job, workers, command = json.loads(sys.argv[1])
supervise(
    KubernetesLauncher(
        Api.connect(), job, "key", {"worker": 2}, WorkersConfig(**workers), command
    ),
    Policy(),
)
"""


def trainer(folder: Path, script: str, **workers: Any) -> subprocess.Popen[bytes]:
    """A Trainer that is a process of its own."""
    arguments = json.dumps([json.dumps(str(folder)), workers, command(script)])
    return subprocess.Popen([sys.executable, "-c", TRAINER, arguments])


def test_a_trainer_that_is_asked_to_end_leaves_nothing(cluster: FakeCluster, folder: Path) -> None:
    process = trainer(folder, "time.sleep(600)")
    wait(lambda: len(starts(folder)) == 2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) != 0
    assert cluster.left() == []
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())


def test_a_dead_trainer_leaves_its_workers_for_a_while_only(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as it lives, they do too, beyond that while; who comes next ends the rest."""
    script = "time.sleep(600 if attempt == 0 else 0)"
    process = trainer(folder, script, abandoned_seconds=5)
    wait(lambda: len(starts(folder)) == 2)
    time.sleep(7)
    assert len(cluster.workers()) == 2
    cluster.add_trainer("other")
    monkeypatch.setenv("KFP_POD_NAME", "other")
    with pytest.raises(ConfigError, match="pod trainer is training the same model"):
        launcher(folder, script).start()
    process.kill()
    process.wait()
    wait(lambda: not cluster.workers(), 20)
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())
    cluster.trainer["status"]["phase"] = "Failed"
    supervise(launcher(folder, script), Policy())
    assert starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert cluster.left() == []


def test_what_a_trainer_started_goes_with_its_pod(cluster: FakeCluster, folder: Path) -> None:
    process = trainer(folder, "time.sleep(600)")
    wait(lambda: len(starts(folder)) == 2)
    process.kill()
    process.wait()
    cluster.remove_trainer()
    wait(lambda: cluster.left() == [], 20)
