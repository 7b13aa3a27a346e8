"""Trainings in which Python scripts play the trainer's part: they start in no time."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher
from pipeline.config import WorkersConfig

PRELUDE = """
import json, os, sys, time
type_, task = json.loads(os.environ["TF_CONFIG"])["task"].values()
folder = json.loads(sys.stdin.readline())
me = f"{task}-" if type_ == "worker" else f"{type_}{task}-"
attempt = len([n for n in os.listdir(folder) if n.startswith(me)])
open(f"{folder}/{me}{attempt}", "w").write(str(os.getpid()))
def steps(count):
    with open(os.environ["PIPELINE_STEPS"] + ".part", "w") as file:
        json.dump([count, count], file)
    os.replace(os.environ["PIPELINE_STEPS"] + ".part", os.environ["PIPELINE_STEPS"])
def report(message, **fields):
    with open(os.environ["PIPELINE_REPORT"], "w") as file:
        json.dump({"message": message, **fields}, file)
    sys.exit(1)
def wait_for_all(count):
    while len(os.listdir(folder)) < count * (attempt + 1): time.sleep(0.05)
"""


def command(script: str) -> list[str]:
    return [sys.executable, "-c", PRELUDE + textwrap.dedent(script)]


def launcher(
    folder: Path, script: str, tasks: dict[str, int] | None = None, **workers: Any
) -> KubernetesLauncher:
    api = Api.connect(patience_seconds=3)
    config = WorkersConfig.model_validate(workers)
    tasks = tasks or {"worker": 2}
    return KubernetesLauncher(api, json.dumps(str(folder)), "key", tasks, config, command(script))


def starts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def no_pause(_: float) -> None:
    pass


def wait(condition: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def meanwhile(condition: Callable[[], Any], act: Callable[[], Any]) -> threading.Thread:
    """Acts as soon as the condition holds, beside the supervisor."""

    def run() -> None:
        wait(condition)
        act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
