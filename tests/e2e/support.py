"""Whole runs: the real command, as a process, on small tables."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

ROOT = Path(__file__).parents[2]
_WARM = {"PIPELINE_KEEP_WARM": "2"} if sys.platform == "linux" else {}


@dataclass
class Result:
    """The exit code, the output and the summary of a command."""

    code: int
    output: str
    summary: dict[str, Any] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """Returns the content of the run's page."""
        page = Path(self.summary["report"])
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        content: dict[str, Any] = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
        return content

    def states(self) -> dict[str, str]:
        return {c["name"]: c["state"] for c in self.summary["components"]}


@dataclass
class Project:
    """A user's working directory, with one output directory."""

    directory: Path
    code: Path = ROOT
    output: str = "out"
    warm: bool = True
    """Whether runs are forks of a warm process."""

    @property
    def serving(self) -> Path:
        return self.directory / self.output / "serving"

    def command(self, *arguments: str) -> Result:
        """Runs `python -m pipeline ...` in the user's directory.

        Runs with the same code and environment are forks of one warm process: imports took 40 % of
        the time of all these tests. Accidents and the README's commands happen to other runs.
        """
        variables = {"PYTHONPATH": str(self.code), "COLUMNS": "200", **(_WARM if self.warm else {})}
        process = subprocess.run(
            [sys.executable, "-m", "pipeline", *arguments],
            cwd=self.directory,
            env={**_own_environment(), **variables},
            capture_output=True,
            text=True,
        )
        return Result(process.returncode, process.stdout + process.stderr)

    def run(self, *arguments: str, config: str = "my.yaml") -> Result:
        """Runs `run`, and returns its result with the summary."""
        path = self.directory / "summary.json"
        path.unlink(missing_ok=True)
        result = self.command(
            "run", "--config", config, "--output", self.output, "--json", str(path), *arguments
        )
        if path.exists():
            result.summary = json.loads(path.read_text(encoding="utf-8"))
        return result

    def shell(self, line: str) -> Result:
        """Runs a shell line in the user's directory; returns its result with the run's summary."""
        process = subprocess.run(
            ["sh", "-c", line],
            cwd=self.directory,
            env={**os.environ, "COLUMNS": "200"},
            capture_output=True,
            text=True,
        )
        runs = sorted(self.directory.glob(f"{self.output}/logs/*/summary.json"))
        summary = json.loads(runs[-1].read_text(encoding="utf-8")) if runs else {}
        return Result(process.returncode, process.stdout + process.stderr, summary)

    def write(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return path

    def store(self) -> MetadataStore:
        config = mlmd.ConnectionConfig()
        config.sqlite.filename_uri = str(self.directory / self.output / "metadata.db")
        config.sqlite.connection_mode = 1  # Read only.
        return MetadataStore(config)

    def find_output(self, component: str, file: str) -> Path:
        """Returns the newest file of this name that a component wrote."""
        found = (self.directory / self.output / "artifacts").glob(f"*/{component}/*/*/{file}")
        return max(found, key=lambda path: int(path.parent.name))

    def live_artifacts(self) -> set[int]:
        """Returns the ids of the artifacts that a cache or a reader would use."""
        if not (self.directory / self.output / "metadata.db").exists():
            return set()
        return {a.id for a in self.store().get_artifacts() if a.state == mlmd.Artifact.LIVE}

    def unfinished(self) -> list[int]:
        """Returns the ids of executions that are running according to MLMD."""
        states = (mlmd.Execution.NEW, mlmd.Execution.RUNNING)
        return [e.id for e in self.store().get_executions() if e.last_known_state in states]


def slow_environment(project: Project, node: str, moment: str, place: Path) -> dict[str, str]:
    """Returns the variables with which processes wait at a moment: see slow_component."""
    slow = Path(__file__).with_name("slow_component")
    return {
        "SLOW_NODE": node,
        "SLOW_AT": moment,
        "SLOW_FILE": str(place),
        "PYTHONPATH": os.pathsep.join((str(slow), str(project.code))),
    }


def wait_and_strike(
    process: "subprocess.Popen[str]", place: Path, strike: Callable[[int], None]
) -> None:
    """Waits for the end of a process, and strikes once, while a process waits at its moment.

    Args:
      place: that of `slow_environment`.
      strike: gets the id of the process that waits.
    """
    struck = False
    while process.poll() is None:
        if place.exists():
            if not struck:
                strike(int(place.read_text()))
            struck = True
            place.unlink()
        time.sleep(0.02)
    assert struck


def with_long(cases: Iterable[Any], long: Collection[Any]) -> list[Any]:
    """Returns parameters, of which some are left to `make test-long`."""
    return [pytest.param(c, marks=[pytest.mark.long] * (c in long)) for c in cases]


def _own_environment() -> dict[str, str]:
    """Returns the variables of this process, without those that pytest changes for each test."""
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}


def copy_checkout(directory: Path) -> None:
    """Copies the project as a clone has it, with a link to the existing environment."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, directory / name)
    (directory / ".venv").symlink_to(Path(sys.prefix))


def readme_commands() -> list[str]:
    """Returns the commands in the README's code blocks, in order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = (line for block in blocks for line in block.splitlines())
    return [line for line in lines if line.startswith(("make ", ".venv/bin/"))]


def digest_tree(directory: Path) -> dict[str, str]:
    """The digest of every file below a directory, by its relative path.

    Locks are left out: they hold the number of the process that had them last.
    """
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def write_csv(path: Path, columns: dict[str, Iterable[Any]]) -> None:
    """Writes columns as CSV, None as an empty cell."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")


def shop_table(rows: int = 400, seed: int = 0) -> dict[str, list[Any]]:
    """Returns a small table with an easy binary label."""
    random = np.random.default_rng(seed)
    price = random.gamma(2, 10, rows).round(2)
    color = random.choice(["red", "green", "blue"], rows, p=[0.5, 0.3, 0.2])
    bought = (price + 10 * (color == "red") + random.normal(0, 4, rows) > 24).astype(int)
    return {"price": list(price), "color": list(color), "bought": list(bought)}


SHOP_CONFIG = """\
name: shop
data:
  path: shop.csv
  split: {train: 0.6, eval: 0.2, test: 0.2}
features:
  price: numeric
  color: categorical
label: {column: bought, task: binary, classes: [0, 1]}
training: {epochs: 15, global_batch_size: 16, learning_rate: 0.01}
# Most tests are not about the check, which takes seconds of each run.
serving: {check: {enabled: false}}
evaluation:
  thresholds:
    - {metric: auc, at_least: 0.7}
"""
