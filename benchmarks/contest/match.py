"""One match: this project's models on one table with one seed, then rivals on the same splits.

A finished match keeps the labels and the predictions of all models in one file. An interrupted
benchmark therefore continues where it stopped, and the comparison can be repeated at any time.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest.catalogue import Table
from benchmarks.contest.metrics import Answers
from benchmarks.contest.ours import OURS, Setup, Trained, make_setup, propose_config, train
from benchmarks.contest.rivals.roster import Budget, Fitted, fit_rivals
from benchmarks.contest.rows import Split, read_splits
from benchmarks.spec import run_part
from pipeline.core.files import write_text_atomically

_LABELS = "labels"


class OtherSettingsError(Exception):
    """A kept match cannot be compared with those of this call."""


@dataclass(frozen=True)
class Match:
    """The predictions of all models for one table and one seed."""

    facts: dict[str, Any]
    """Seconds and settings."""
    labels: Any
    """The labels of the test rows."""
    answers: dict[str, Answers]
    """The predictions for the test rows, by model."""


@dataclass(frozen=True)
class Plan:
    """How a match is played."""

    assignments: Sequence[str] = ()
    """Values that replace those of the proposed configuration, as for `--set`."""
    seconds: float | None = None
    """The seconds of each search; None for those of the Trainer."""
    threads: int = 1
    """The threads of each search."""


def play_match(table: Table, seed: int, directory: Path, plan: Plan) -> Match:
    """Returns the match in `directory`; trains its models unless the match is finished.

    Raises:
      OtherSettingsError: the finished match was played with other assignments.
    """
    place = directory / table.name / str(seed)
    facts_path = place.with_suffix(".json")
    if not facts_path.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        _play(table, seed, place, plan)
    facts = json.loads(facts_path.read_text(encoding="utf-8"))
    # Earlier versions of this benchmark had no assignments, and fewer models.
    if facts.get("set") != list(plan.assignments):
        raise OtherSettingsError(f"{facts_path} has --set {facts.get('set', 'of another version')}")
    with np.load(place.with_suffix(".npz")) as arrays:
        answers = {name: arrays[name] for name in arrays.files if name != _LABELS}
        return Match(facts, arrays[_LABELS], answers)


def _play(table: Table, seed: int, place: Path, plan: Plan) -> None:
    """Trains all models, and writes the files of the finished match beside `place`."""
    config = propose_config(table, place.parent)
    setup = make_setup(config, seed, plan.assignments, place)
    trained = train(setup)
    splits = read_splits(place, setup.load())
    answers = _ask_models(trained, place)
    budget = Budget(plan.seconds or trained.seconds[OURS], plan.threads)
    rivals = fit_rivals(setup, splits, seed, budget)
    answers |= {name: rival.answers for name, rival in rivals.items()}
    np.savez_compressed(place.with_suffix(".npz"), **{_LABELS: splits["test"].labels}, **answers)
    plan_facts = {"set": list(plan.assignments), "search": asdict(budget)}
    facts = {**plan_facts, **_collect_facts(setup, splits, trained, rivals)}
    write_text_atomically(place.with_suffix(".json"), json.dumps(facts, indent=1), durable=True)
    shutil.rmtree(place)


def _ask_models(trained: Trained, place: Path) -> dict[str, Answers]:
    path = place.with_suffix(".answers.npz")
    models = {name: str(directory) for name, directory in trained.models.items()}
    spec = {"run": str(place), "models": models, "answers": str(path)}
    run_part("contest.served", spec, place.with_suffix(".served.json"))
    with np.load(path) as arrays:
        found = {name: arrays[name] for name in models}
    path.unlink()
    return found


def _collect_facts(
    setup: Setup, splits: Mapping[str, Split], trained: Trained, rivals: Mapping[str, Fitted]
) -> dict[str, Any]:
    config = setup.load()
    return {
        "task": config.label.task,
        "features": len(config.features),
        "rows": {name: len(split.labels) for name, split in splits.items()},
        "status": trained.status,
        "parts": trained.parts,
        "seconds": trained.seconds | {n: rival.facts["seconds"] for n, rival in rivals.items()},
        "searches": {n: rival.facts for n, rival in rivals.items() if "trials" in rival.facts},
        "model": config.model.model_dump(mode="json"),
        "training": config.training.model_dump(mode="json"),
    }
