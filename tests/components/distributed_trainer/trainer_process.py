"""Runs the executor, in this process or as a process of its own.

All trainings of one directory have the same key, and each has its own outputs, as in two runs.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tfx.types import standard_artifacts
from trainer_artifacts import make_job

from components.distributed_trainer.executor import Executor


def train(directory: Path, run: str, run_fn: str, **sections: Any) -> None:
    """Trains with two workers; `sections` are sections of the configuration beside `training`."""
    texts = {name: json.dumps(section) for name, section in sections.items()}
    custom_config = {
        "training": json.dumps({"workers": 2}),
        "backup_directory": str(directory / "storage/backups"),
        **texts,
    }
    job = make_job(
        directory, run_fn=f"run_functions.{run_fn}", custom_config=json.dumps(custom_config)
    )
    outputs = {"model": [standard_artifacts.Model()], "model_run": [standard_artifacts.ModelRun()]}
    for name, [artifact] in outputs.items():
        artifact.uri = str(directory / run / name)
    job = dataclasses.replace(job, outputs=outputs)
    Executor().Do(dict(job.inputs), dict(job.outputs), dict(job.properties))


def start_training(
    directory: Path, run: str, run_fn: str, pod: str = "", hang: bool = False, **sections: Any
) -> subprocess.Popen[bytes]:
    """Starts `train` in a process; with `hang`, it stops just before it starts pods."""
    paths = os.pathsep.join((str(Path(__file__).parent), os.getcwd()))
    arguments = json.dumps([str(directory), run, run_fn, hang, sections])
    return subprocess.Popen(
        [sys.executable, __file__, arguments],
        env={**os.environ, "PYTHONPATH": paths, **({"KFP_POD_NAME": pod} if pod else {})},
    )


def _hang(_: object) -> None:
    time.sleep(600)


if __name__ == "__main__":
    place, own_run, function, is_hanging, own_sections = json.loads(sys.argv[1])
    if is_hanging:
        from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher

        KubernetesLauncher.start = _hang  # type: ignore[assignment, method-assign]
    train(Path(place), own_run, function, **own_sections)
