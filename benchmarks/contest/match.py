"""One match: `init` and `run` on one table with one seed, then boosted trees on the same splits.

A finished match keeps the labels and the predictions of all models in one file. An interrupted
benchmark therefore continues where it stopped, and the comparison can be repeated at any time.
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
from benchmarks.measuring.process import run_command
from benchmarks.measuring.workload import PYTHON
from benchmarks.spec import run_part
from pipeline.config import Config, load_config
from pipeline.core.files import write_text_atomically

OURS = "ours"
RIVALS = {"LightGBM": trees.fit_lightgbm, "HistGradientBoosting": trees.fit_hist}
_NOT_BLESSED = 4
"""The exit code of `run` for a model below its thresholds, which is compared all the same."""


@dataclass(frozen=True)
class Match:
    """The predictions of all models for one table and one seed."""

    facts: dict[str, Any]
    """Scores, seconds and settings."""
    labels: Any
    """The labels of the test rows."""
    answers: dict[str, Answers]
    """The predictions for the test rows, by model."""


def play_match(table: Table, seed: int, directory: Path) -> Match:
    """Returns the match in `directory`; trains its models unless the match is finished."""
    place = directory / table.name / str(seed)
    if not place.with_suffix(".json").exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        _train_models(table, seed, place)
    facts = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
    with np.load(place.with_suffix(".npz")) as arrays:
        answers = {name: arrays[name] for name in (OURS, *RIVALS)}
        return Match(facts, arrays["labels"], answers)


def _train_models(table: Table, seed: int, place: Path) -> None:
    """Trains all models, and writes the files of the finished match beside `place`."""
    config = _propose_config(table, place.parent)
    summary, seconds = _run_pipeline(config, seed, place)
    loaded = load_config([config], _override_seeds(config, seed))
    splits = read_splits(place, loaded)
    spec = {"run": str(place), "answers": str(place.with_suffix(".npy"))}
    run_part("contest.served", spec, place.with_suffix(".served.json"))
    answers, fits = {OURS: np.load(place.with_suffix(".npy"))}, {}
    for name, fit in RIVALS.items():
        rival = fit(splits, loaded.label.task, len(loaded.label.classes), seed)
        answers[name], fits[name] = rival.answers, rival.seconds
    labels = splits["test"].labels
    np.savez_compressed(place.with_suffix(".npz"), labels=labels, **answers)
    facts = {
        **_collect_facts(loaded, splits, summary),
        "seconds": {"init and run": seconds, **fits, "Trainer": _read_trainer_seconds(summary)},
        "scores": {n: measure(loaded.label.task, labels, a) for n, a in answers.items()},
    }
    write_text_atomically(place.with_suffix(".json"), json.dumps(facts, indent=1), durable=True)
    shutil.rmtree(place)
    place.with_suffix(".npy").unlink()


def _propose_config(table: Table, directory: Path) -> Path:
    """Returns the file with the configuration that `init` proposes for the table."""
    config, data = directory / "proposed.yaml", directory / f"{table.name}.csv"
    if not config.exists():
        table.write(data)
        words = ["--data", str(data), "--label", table.label_column, "--output", str(config)]
        run_command([PYTHON, "-m", "pipeline", "init", *words], directory / "init.log")
    return config


def _run_pipeline(config: Path, seed: int, place: Path) -> tuple[dict[str, Any], float]:
    """Runs the pipeline into `place`; returns its summary and its wall time in seconds."""
    summary = place.with_suffix(".summary.json")
    shutil.rmtree(place, ignore_errors=True)
    words = ["--config", str(config), "--output", str(place), "--json", str(summary)]
    words += [word for value in _override_seeds(config, seed) for word in ("--set", value)]
    finished = run_command(
        [PYTHON, "-m", "pipeline", "run", *words],
        place.with_suffix(".log"),
        expected=(0, _NOT_BLESSED),
    )
    return json.loads(summary.read_text(encoding="utf-8")), finished.seconds


def _override_seeds(config: Path, seed: int) -> list[str]:
    """Returns settings for another split and other first weights; none for seed 0."""
    if not seed:
        return []
    split_seed = load_config([config]).data.split.seed + seed
    return [f"data.split.seed={split_seed}", f"training.seed={seed}"]


def _collect_facts(
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


def _read_trainer_seconds(summary: Mapping[str, Any]) -> float:
    return float(next(c["seconds"] for c in summary["components"] if c["name"] == "Trainer"))
