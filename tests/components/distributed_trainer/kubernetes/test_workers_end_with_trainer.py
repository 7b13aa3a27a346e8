"""The workers' pods end with the Trainer, whether it is terminated, killed or deleted."""

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
from process_states import wait_until
from scripted_pods import make_launcher
from scripted_workers import is_alive, list_starts, make_command

from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import ConfigError

pytestmark = pytest.mark.slow

TRAINER = """
import json, logging, signal, sys
from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher
from components.distributed_trainer.kubernetes.trainer_watch import TRAINER_LOCK_VARIABLE
from components.supervision.supervisor import Policy, supervise
from pipeline.config import WorkersConfig
from pipeline.core.ownership import TRAINING, lock_path, own_backup

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, interrupt)
logging.basicConfig()
job, workers, command = json.loads(sys.argv[1])
backups = job.strip('"') + "/../backups"
lock = {TRAINER_LOCK_VARIABLE: str(lock_path(backups, "trainer"))}
workers = WorkersConfig(**workers).model_copy(update={"env": lock})
launcher = KubernetesLauncher(Api.connect(), job, "key", {"worker": 2}, workers, command)
with own_backup(backups, "trainer" if sys.argv[2] else "unseen", TRAINING):
    supervise(launcher, Policy())
"""


def start_trainer(
    folder: Path, script: str, *, is_lock_seen: bool = False, **workers: Any
) -> subprocess.Popen[bytes]:
    """Starts a Trainer as a process; its pods see its lock only where the file system lets them."""
    arguments = json.dumps([json.dumps(str(folder)), workers, make_command(script)])
    return subprocess.Popen([sys.executable, "-c", TRAINER, arguments, "yes" * is_lock_seen])


@pytest.mark.long
def test_a_terminated_trainer_leaves_no_pods(cluster: FakeCluster, folder: Path) -> None:
    process = start_trainer(folder, "time.sleep(600)")
    wait_until(lambda: len(list_starts(folder)) == 2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) != 0
    assert cluster.left() == []
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())


@pytest.mark.long
def test_the_pods_of_a_killed_trainer_end_after_abandoned_seconds(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run longer while the Trainer lives; the next Trainer deletes the leftover Job."""
    script = "time.sleep(600 if attempt == 0 else 0)"
    process = start_trainer(folder, script, abandoned_seconds=5)
    wait_until(lambda: len(list_starts(folder)) == 2)
    time.sleep(7)
    assert len(cluster.workers()) == 2
    cluster.add_trainer("other")
    monkeypatch.setenv("KFP_POD_NAME", "other")
    with pytest.raises(ConfigError, match="pod trainer is training the same model"):
        make_launcher(folder, script).start()
    process.kill()
    process.wait()
    wait_until(lambda: not cluster.workers(), 20)
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())
    cluster.trainer["status"]["phase"] = "Failed"
    supervise(make_launcher(folder, script), Policy())
    assert list_starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert cluster.left() == []


def test_the_pods_of_a_killed_trainer_end_soon_where_they_see_its_lock(
    cluster: FakeCluster, folder: Path
) -> None:
    """They outlive an API that is away, and do not wait for `abandoned_seconds`."""
    process = start_trainer(folder, "time.sleep(600)", is_lock_seen=True)
    wait_until(lambda: len(list_starts(folder)) == 2)
    cluster.down = True
    time.sleep(12)  # More than two looks at the lock.
    assert all(is_alive(int(path.read_text())) for path in folder.iterdir())
    process.kill()
    process.wait()
    wait_until(lambda: not any(is_alive(int(p.read_text())) for p in folder.iterdir()), 30)
    cluster.down = False
    wait_until(lambda: all(pod["status"]["phase"] == "Failed" for pod in cluster.workers()))
    assert "the Trainer no longer holds its lock" in str(cluster.kubelet.logs)


def test_the_job_is_deleted_with_the_trainers_pod(cluster: FakeCluster, folder: Path) -> None:
    process = start_trainer(folder, "time.sleep(600)")
    wait_until(lambda: len(list_starts(folder)) == 2)
    process.kill()
    process.wait()
    cluster.remove_trainer()
    wait_until(lambda: cluster.left() == [], 20)
