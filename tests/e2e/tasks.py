"""Executes a compiled pipeline task by task as Kubeflow does, without a cluster."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import Project, slow_environment, wait_and_strike


@dataclass
class Outcome:
    """The result of a run."""

    code: int
    output: str
    tasks: dict[str, dict[str, Any]]

    @property
    def states(self) -> dict[str, str]:
        return {name: task["state"] for name, task in self.tasks.items()}

    @property
    def ran(self) -> set[str]:
        return {name for name, state in self.states.items() if state == "ran"}

    def log(self, task: str) -> str:
        return Path(self.tasks[task]["log"]).read_text(encoding="utf-8")


@dataclass
class Cluster:
    """A directory in which a user has compiled a pipeline, and runs it."""

    project: Project
    parameters: tuple[str, ...] = ()
    """Of every run."""
    environment: dict[str, str] = field(default_factory=dict)
    file: str = "shop.yaml"

    @property
    def serving(self) -> Path:
        return self.project.directory / "volume/shop/serving"

    def versions(self) -> list[str]:
        return sorted(path.name for path in self.serving.glob("[0-9]*"))

    def run(self, *parameters: str) -> Outcome:
        return self._outcome(self._start(*parameters))

    def run_and_kill_trainer(self) -> Outcome:
        """At its second backup, once."""
        place = self.project.directory / "slow"
        usual = self.environment
        self.environment = usual | slow_environment(self.project, "Trainer", "backup", place)
        process = self._start()
        wait_and_strike(process, place, lambda pid: os.kill(pid, signal.SIGKILL))
        self.environment = usual
        return self._outcome(process)

    def report(self, outcome: Outcome, task: str) -> str:
        """Returns the Markdown that Kubeflow would show."""
        uri = outcome.tasks[task]["artifacts"]["report"]["uri"]
        path = self.project.directory / "cluster/buckets" / uri.replace("://", "/")
        return path.read_text(encoding="utf-8")

    def page(self, outcome: Outcome) -> tuple[str, dict[str, Any]]:
        """Returns the page that the exit task published as HTML, and its content."""
        uri = outcome.tasks["report"]["artifacts"]["page"]["uri"]
        path = self.project.directory / "cluster/buckets" / uri.replace("://", "/")
        page = path.read_text(encoding="utf-8")
        [copy] = [
            copy
            for copy in (self.serving.parent / "runs").glob("*/report.html")
            if copy.read_text(encoding="utf-8") == page
        ]
        return page, json.loads(copy.with_name("report.json").read_text(encoding="utf-8"))

    def _start(self, *parameters: str) -> "subprocess.Popen[str]":
        given = [f"--parameter={text}" for text in (*self.parameters, *parameters)]
        command = (self.file, "--directory", "cluster", "--json", "outcome.json", *given)
        return subprocess.Popen(
            [sys.executable, "-m", "pipeline.runners.kfp_local", *command],
            cwd=self.project.directory,
            env={**os.environ, "PYTHONPATH": str(self.project.code), **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _outcome(self, process: "subprocess.Popen[str]") -> Outcome:
        output, _ = process.communicate()
        told = json.loads((self.project.directory / "outcome.json").read_text(encoding="utf-8"))
        return Outcome(process.returncode, output, told)
