"""A pod knows that its Trainer is gone only if it saw the Trainer's lock held before."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from components.distributed_trainer.kubernetes.trainer_watch import TrainerWatch
from pipeline.core.ownership import TRAINING, lock_path, own_backup

TRAINER = """
import sys, time
from pipeline.core.ownership import TRAINING, own_backup
with own_backup(sys.argv[1], "trainer", TRAINING):
    print("owned", flush=True)
    time.sleep(600)
"""


def test_a_killed_trainer_is_noticed(tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    command = [sys.executable, "-c", TRAINER, str(backups)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as trainer:
        assert trainer.stdout is not None
        trainer.stdout.readline()
        watch = TrainerWatch(str(lock_path(backups, "trainer")), 0.02)
        time.sleep(0.3)
        assert not watch.is_trainer_gone()
        trainer.kill()
    deadline = time.monotonic() + 10
    while not watch.is_trainer_gone():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("content", [None, ""])
def test_a_lock_that_this_pod_never_saw_held_says_nothing(
    tmp_path: Path, content: str | None
) -> None:
    """The volume is not mounted, or its file system keeps locks within one node."""
    path = tmp_path / "trainer.lock"
    if content is not None:
        path.write_text(content)
    watch = TrainerWatch(str(path), 0.01)
    time.sleep(0.3)
    assert not watch.is_trainer_gone()


def test_one_free_look_is_not_enough(tmp_path: Path) -> None:
    """A file server that starts again may lose a lock for a moment."""
    with own_backup(tmp_path / "backups", "trainer", TRAINING):
        watch = TrainerWatch(str(lock_path(tmp_path / "backups", "trainer")), 0.5)
        time.sleep(0.25)
    time.sleep(0.5)
    with own_backup(tmp_path / "backups", "trainer", TRAINING):
        time.sleep(1)
        assert not watch.is_trainer_gone()
