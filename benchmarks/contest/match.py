"""One table and one seed: `init` and `run` as a user calls them, then the trees on the same splits.

What is finished stays: the answers of all models and the labels in one file, so that a benchmark
that was interrupted goes on where it was, and the comparison can be made again at any time.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import trees
from benchmarks.contest.catalogue import Table
from benchmarks.contest.metrics import Answers, measure
from benchmarks.contest.rows import Split, read_splits
from benchmarks.process import run_command
from benchmarks.spec import call_part
from benchmarks.workload import PYTHON
from pipeline.config import Config, load_config
from pipeline.core.files import write_text_atomically

OURS = "ours"
RIVALS = {"LightGBM": trees.fit_lightgbm, "HistGradientBoosting": trees.fit_hist}
_NOT_BLESSED = 4


@dataclass(frozen=True)
class Match:
    """What the models made of one table with one seed."""

    facts: dict[str, Any]
    labels: Any
    answers: dict[str, Answers]
    """Of each model, on the test rows."""


def play(table: Table, seed: int, directory: Path) -> Match:
    """The match, played now unless it is finished already."""
    place = directory / table.name / str(seed)
    if not place.with_suffix(".json").exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        _play(table, seed, place)
    facts = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
    with np.load(place.with_suffix(".npz")) as arrays:
        answers = {name: arrays[name] for name in (OURS, *RIVALS)}
        return Match(facts, arrays["labels"], answers)


def _play(table: Table, seed: int, place: Path) -> None:
    config = _init(table, place.parent)
    summary, seconds = _run(config, seed, place)
    loaded = load_config([config], _seeded(config, seed))
    splits = read_splits(place, loaded)
    call_part("contest.served", _asked(place), place.with_suffix(".served.json"))
    answers, fits = {OURS: np.load(place.with_suffix(".npy"))}, {}
    for name, fit in RIVALS.items():
        rival = fit(splits, loaded.label.task, len(loaded.label.classes), seed)
        answers[name], fits[name] = rival.answers, rival.seconds
    labels = splits["test"].labels
    np.savez_compressed(place.with_suffix(".npz"), labels=labels, **answers)
    facts = {
        **_facts(loaded, splits, summary),
        "seconds": {"init and run": seconds, **fits, "Trainer": _trainer_seconds(summary)},
        "scores": {n: measure(loaded.label.task, labels, a) for n, a in answers.items()},
    }
    write_text_atomically(place.with_suffix(".json"), json.dumps(facts, indent=1), durable=True)
    shutil.rmtree(place)
    place.with_suffix(".npy").unlink()


def _init(table: Table, directory: Path) -> Path:
    """The configuration that `init` proposes, as it stands."""
    config, data = directory / "proposed.yaml", directory / f"{table.name}.csv"
    if not config.exists():
        table.write(data)
        words = ["--data", str(data), "--label", table.label, "--output", str(config)]
        run_command([PYTHON, "-m", "pipeline", "init", *words], directory / "init.log")
    return config


def _run(config: Path, seed: int, place: Path) -> tuple[dict[str, Any], float]:
    summary = place.with_suffix(".summary.json")
    shutil.rmtree(place, ignore_errors=True)
    words = ["--config", str(config), "--output", str(place), "--json", str(summary)]
    words += [word for value in _seeded(config, seed) for word in ("--set", value)]
    finished = run_command(
        [PYTHON, "-m", "pipeline", "run", *words],
        place.with_suffix(".log"),
        expected=(0, _NOT_BLESSED),
    )
    return json.loads(summary.read_text(encoding="utf-8")), finished.seconds


def _seeded(config: Path, seed: int) -> list[str]:
    """Seed 0 is the proposal as it is; each further one divides and begins anew."""
    if not seed:
        return []
    division = load_config([config]).data.split.seed + seed
    return [f"data.split.seed={division}", f"training.seed={seed}"]


def _asked(place: Path) -> dict[str, str]:
    return {"run": str(place), "answers": str(place.with_suffix(".npy"))}


def _facts(
    config: Config, splits: Mapping[str, Split], summary: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "task": config.label.task,
        "features": len(config.features),
        "rows": {name: len(split.labels) for name, split in splits.items()},
        "status": summary["status"],
        "model": config.model.model_dump(mode="json"),
        "training": config.training.model_dump(mode="json"),
    }


def _trainer_seconds(summary: Mapping[str, Any]) -> float:
    return float(next(c["seconds"] for c in summary["components"] if c["name"] == "Trainer"))
