"""Starts pods of the fake Kubernetes whose workers are Python scripts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from process_states import wait_until
from scripted_workers import make_command

from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher
from pipeline.config import WorkersConfig


def make_launcher(
    folder: Path,
    script: str,
    tasks: dict[str, int] | None = None,
    patience_seconds: float = 120,
    **workers: Any,
) -> KubernetesLauncher:
    # No request outlasts the patience, and the fake server is slow on a busy machine.
    api = Api.connect(patience_seconds)
    config = WorkersConfig.model_validate(workers)
    job, tasks = json.dumps(str(folder)), tasks or {"worker": 2}
    return KubernetesLauncher(api, job, "key", tasks, config, make_command(script))


def act_when(condition: Callable[[], Any], act: Callable[[], Any]) -> threading.Thread:
    """Calls `act` in a thread as soon as the condition holds, while the supervisor works."""

    def run() -> None:
        wait_until(condition)
        act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
