"""Runs the pipeline on this machine, and on clusters of one and of two TaskManagers."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.artifacts import bytes_below
from benchmarks.engine.cluster import flink_cluster, read_moved
from benchmarks.engine.table import generate_files
from benchmarks.measuring.process import run_command
from benchmarks.measuring.workload import CONFIGS, PYTHON
from pipeline.config import load_config

COMPONENTS = ["ExampleGen", "StatisticsGen", "Transform", "Evaluator"]
"""The components whose work goes to the engine."""
HERE = "here"
TASKMANAGERS = (1, 2)

Figures = dict[str, Any]


def name_cluster(taskmanagers: int) -> str:
    """Returns the name of a cluster in the figures: `1 TaskManager`."""
    return f"{taskmanagers} TaskManager" + ("s" if taskmanagers > 1 else "")


def run_everywhere(directory: Path, rows: int, seed: int) -> Figures:
    """Returns by place the seconds, the moved bytes, the metrics and the directory of a run."""
    table = generate_files(directory, rows, seed)
    runs = _Runs(directory / f"engine-{rows}", table)
    figures = {HERE: runs.run("here", [])}
    for count in TASKMANAGERS:
        log = directory / f"engine-{rows}/cluster-{count}.log"
        with flink_cluster(count, log) as setting:
            run = runs.run(f"flink-{count}", [setting])
            moved = read_moved(runs.name, COMPONENTS)
        run["moved"] = {name: asdict(each) for name, each in moved.items()}
        figures[name_cluster(count)] = run
    return {"rows": rows, "bytes": bytes_below(table), "places": figures}


class _Runs:
    """Runs the same configuration with different engines, each in a directory of its own."""

    def __init__(self, directory: Path, table: Path) -> None:
        self._directory = directory
        # Otherwise a training of many threads need not repeat itself, and metrics could differ.
        self._settings = [f"data.path={table}/*.csv", "training.deterministic=true"]
        self.name = load_config(list(CONFIGS), self._settings).name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()

    def run(self, name: str, settings: list[str]) -> Figures:
        output, summary = self._directory / name, self._directory / f"{name}.json"
        words = [word for path in CONFIGS for word in ("--config", str(path))]
        words += [word for s in (*self._settings, *settings) for word in ("--set", s)]
        command = [PYTHON, "-m", "pipeline", "run", *words]
        finished = run_command(
            [*command, "--output", str(output), "--json", str(summary)],
            self._directory / f"{name}.log",
        )
        content = json.loads(summary.read_text(encoding="utf-8"))
        return {
            "seconds": {
                component["name"]: component["seconds"] for component in content["components"]
            },
            "process": finished.seconds,
            "metrics": content["metrics"],
            "directory": str(output),
        }
