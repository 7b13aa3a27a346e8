"""Trains this project's models of a match: what `init` proposes, and its parts alone.

The commands run as a user calls them. If `init` proposes a blend, its network and its trees also
compete alone. They need no training of their own: see `parts`. Only a network without a weight in
the blend is trained again, in the same directory: the components before Transform come from the
cache, and the DAG ends after the Trainer.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.artifacts import find_artifact
from benchmarks.contest.catalogue import Table
from benchmarks.contest.kept import Result
from benchmarks.contest.metrics import Answers
from benchmarks.measuring.process import run_command
from benchmarks.measuring.workload import PYTHON
from benchmarks.spec import run_part
from pipeline.config import Config, load_config
from pipeline.config.sections.families.names import BLEND, TREES
from pipeline.core.contracts import ArtifactFile, Node

OURS, NETWORK_ALONE, TREES_ALONE = "ours", "our network", "our trees"
_LAST = Node.BASELINE
"""TFX cuts the DAG here, and not at the Trainer, which this node waits for without its outputs."""
_NOT_BLESSED = 4
"""The exit code of `run` for a model below its thresholds, which is compared all the same."""


@dataclass(frozen=True)
class Setup:
    """The configuration of a match, and the directory of its runs."""

    config: Path
    assignments: tuple[str, ...]
    """Values that replace those of the file, as for `--set`."""
    run: Path

    def load(self) -> Config:
        """Returns the configuration."""
        return load_config([self.config], self.assignments)

    def with_family(self, family: str) -> Setup:
        """Returns the setup for another model."""
        return replace(self, assignments=(*self.assignments, f"model.family={family}"))


@dataclass(frozen=True)
class Trained:
    """The trained models of a match."""

    results: dict[str, Result]
    run_seconds: float
    """The wall time of the whole `run`."""
    status: str
    parts: list[dict[str, Any]]
    """The parts of the blend, with weights; empty without a blend."""


def propose_config(table: Table, directory: Path) -> float:
    """Writes what `init` proposes to `proposed.yaml`; returns the seconds of `init`."""
    config, data = directory / "proposed.yaml", directory / f"{table.name}.csv"
    table.write(data)
    words = ["--data", str(data), "--label", table.label_column, "--output", str(config), "--force"]
    command = [PYTHON, "-m", "pipeline", "init", *words]
    return run_command(command, directory / "init.log").seconds


def make_setup(config: Path, seed: int, assignments: Sequence[str], run: Path) -> Setup:
    """Returns the setup of a seed, with a split and first weights of its own; seed 0 keeps both."""
    if seed:
        split_seed = load_config([config]).data.split.seed + seed
        assignments = [f"data.split.seed={split_seed}", f"training.seed={seed}", *assignments]
    return Setup(config, tuple(assignments), run)


def train(setup: Setup) -> Trained:
    """Trains the proposed model; adds its parts alone if it is a blend."""
    shutil.rmtree(setup.run, ignore_errors=True)
    summary, wall = _run_pipeline(setup)
    trainer = next(each for each in summary["components"] if each["name"] == "Trainer")
    parts, recovered = _read_parts(setup.run), {}
    seconds = {OURS: float(trainer["seconds"])}
    families = _list_parts(setup.load())
    for name, family in families.items():
        part = _find_part(parts, family)
        seconds[name] = part["seconds"]
        if family == TREES or part["weight"]:
            recovered[name] = family
    answers = _ask_models(setup, {OURS: _find_model(setup.run)}, recovered)
    # Only now: the artifacts of these trainings are newer than those of the blend.
    for name in families.keys() - recovered.keys():
        _train_alone(setup.with_family(families[name]))
        answers |= _ask_models(setup, {name: _find_model(setup.run)}, {})
    results = {name: Result(found, {"seconds": seconds[name]}) for name, found in answers.items()}
    return Trained(results, wall, summary["status"], parts)


def _list_parts(config: Config) -> dict[str, str]:
    """Returns the family of each part that is compared alone, by name.

    A blend of several fits has no part that a user would train alone.
    """
    if config.model.family != BLEND or config.model.blend.fits > 1:
        return {}
    return {NETWORK_ALONE: config.model.blend.network, TREES_ALONE: TREES}


def _find_part(parts: Sequence[dict[str, Any]], family: str) -> dict[str, Any]:
    kind = "trees" if family == TREES else "network"
    return next(part for part in parts if part["part"] == kind)


def _ask_models(
    setup: Setup, models: Mapping[str, Path], parts: Mapping[str, str]
) -> dict[str, Answers]:
    """Returns the predictions of models, and of parts of the first model, for the test rows."""
    path = setup.run.with_suffix(".answers.npz")
    spec = {
        "run": str(setup.run),
        "config": str(setup.config),
        "assignments": setup.assignments,
        "models": {name: str(directory) for name, directory in models.items()},
        "parts": dict(parts),
        "answers": str(path),
    }
    run_part("contest.served", spec, setup.run.with_suffix(".served.json"))
    with np.load(path) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    path.unlink()
    return found


def _run_pipeline(setup: Setup) -> tuple[dict[str, Any], float]:
    """Runs the pipeline; returns its summary and its wall time in seconds."""
    summary = setup.run.with_suffix(".summary.json")
    words = ["--config", str(setup.config), "--output", str(setup.run), "--json", str(summary)]
    words += [word for value in setup.assignments for word in ("--set", value)]
    command = [PYTHON, "-m", "pipeline", "run", *words]
    log = setup.run.with_suffix(".log")
    finished = run_command(command, log, expected=(0, _NOT_BLESSED))
    return json.loads(summary.read_text(encoding="utf-8")), finished.seconds


def _train_alone(setup: Setup) -> None:
    """Trains the model of the setup."""
    spec = {
        "config": str(setup.config),
        "assignments": setup.assignments,
        "output": str(setup.run),
        "until": _LAST,
    }
    run_part("measuring.beginning", spec, setup.run.with_suffix(".alone.json"))


def _find_model(run: Path) -> Path:
    # The Trainer's model, since a model that misses a threshold is compared too but never pushed.
    return find_artifact(run, "Trainer", "model") / "Format-Serving"


def _read_parts(run: Path) -> list[dict[str, Any]]:
    path = find_artifact(run, "Trainer", "model_run") / ArtifactFile.HISTORY
    parts = json.loads(path.read_text(encoding="utf-8")).get("parts", [])
    return [
        {key: part[key] for key in ("part", "weight", "eval_loss", "seconds")} for part in parts
    ]
