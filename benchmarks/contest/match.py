"""One match: this project's models on one table with one seed, then rivals on the same splits.

The directory of a match keeps the result of each model as soon as it is there. So an interrupted
match continues after its last finished model, and a failed rival costs no other result.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest.catalogue import Table
from benchmarks.contest.kept import Kept, Result
from benchmarks.contest.ours import OURS, Setup, Trained, make_setup, propose_config, train
from benchmarks.contest.rivals.roster import list_rivals
from benchmarks.contest.rows import read_labels, read_split
from benchmarks.measuring.process import ROOT, CommandError
from benchmarks.spec import run_part
from pipeline.config import Config
from pipeline.core.files import try_lock, write_text_atomically

_LONGEST_REASON = 200
"""The most characters of a failure's reason: it has one cell of a table."""


class BusyError(Exception):
    """Another process plays the match."""


@dataclass(frozen=True)
class Plan:
    """How a match is played, and by which code."""

    settings: tuple[str, ...] = ()
    """Values that replace those of the proposed configuration, as for `--set`."""
    budget: float | None = None
    """The seconds of each search; None for those of the Trainer."""
    threads: int = 1
    """The threads of each search."""
    commit: str = ""
    """See `records.code`."""


@dataclass(frozen=True)
class Match:
    """The results of all models for one table and one seed."""

    facts: Mapping[str, Any]
    """The task, the rows, and what is known of this project's models."""
    labels: Any
    """The labels of the test rows."""
    results: Mapping[str, Result]
    """By model."""


def play_match(table: Table, seed: int, directory: Path, plan: Plan) -> Match:
    """Plays the rest of the match in `directory`; begins anew if its plan was another one.

    Raises:
      BusyError: another process plays this match.
      CommandError: `init` or `run` failed.
    """
    place = directory / table.name / str(seed)
    place.mkdir(parents=True, exist_ok=True)
    with _own(place):
        _clear_other_plan(place, plan)
        kept = Kept(place / "results")
        if not (place / "facts.json").exists():
            _play_ours(table, seed, place, plan, kept)
        facts = json.loads((place / "facts.json").read_text(encoding="utf-8"))
        setup = _make_setup(place, seed, plan)
        results = kept.read()
        seconds = plan.budget or results[OURS].facts["seconds"]
        # Without the rows of a match that has ended, no further rival can take part.
        rivals = list_rivals(setup.load()) if setup.run.exists() else []
        for name in rivals:
            if name not in kept:
                kept.put(name, _fit_rival(name, setup, seed, seconds, plan.threads))
        labels = np.load(place / "labels.npy")
        return Match(facts, labels, kept.read())


@contextlib.contextmanager
def _own(place: Path) -> Iterator[None]:
    """Locks the match for this process.

    Raises:
      BusyError: another process has locked it.
    """
    with (place / "lock").open("a") as lock:
        if not try_lock(lock.fileno()):
            raise BusyError(f"{place}: another process plays this match")
        yield


def _clear_other_plan(place: Path, plan: Plan) -> None:
    path, content = place / "plan.json", json.dumps(asdict(plan))
    if not path.exists() or path.read_text(encoding="utf-8") != content:
        _clear(place)
        write_text_atomically(path, content, durable=True)


def _clear(place: Path) -> None:
    for path in place.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


def _make_setup(place: Path, seed: int, plan: Plan) -> Setup:
    return make_setup(place / "proposed.yaml", seed, plan.settings, place / "run")


def _play_ours(table: Table, seed: int, place: Path, plan: Plan, kept: Kept) -> None:
    """Trains this project's models, and keeps their results; the facts come last."""
    init_seconds = propose_config(table, place)
    setup = _make_setup(place, seed, plan)
    config, trained = setup.load(), train(setup)
    np.save(place / "labels.npy", read_labels(read_split(setup.run, "test"), config))
    for name, result in trained.results.items():
        kept.put(name, result)
    facts = _collect_facts(config, setup.run, trained, init_seconds)
    write_text_atomically(place / "facts.json", json.dumps(facts), durable=True)


def _collect_facts(
    config: Config, run: Path, trained: Trained, init_seconds: float
) -> dict[str, Any]:
    rows = {name: read_split(run, name).num_rows for name in ("train", "eval", "test")}
    return {
        "task": config.label.task,
        "features": len(config.features),
        "rows": rows,
        "status": trained.status,
        "parts": trained.parts,
        "seconds": {"init": init_seconds, "run": trained.run_seconds},
        "model": config.model.model_dump(mode="json", exclude_defaults=True),
        "training": config.training.model_dump(mode="json", exclude_defaults=True),
    }


def _fit_rival(name: str, setup: Setup, seed: int, seconds: float, threads: int) -> Result:
    """Returns the result of a rival, or why there is none."""
    path = setup.run.with_name(f"{name}.spec.json")
    answers = setup.run.with_name(f"{name}.npy")
    spec = {
        "rival": name,
        "run": str(setup.run),
        "config": str(setup.config),
        "assignments": setup.assignments,
        "seed": seed,
        "seconds": seconds,
        "threads": threads,
        "answers": str(answers),
    }
    try:
        facts = run_part("contest.rivals", spec, path)
    except CommandError as error:
        return Result(None, failure=_shorten(str(error)))
    return Result(np.load(answers), facts)


def _shorten(output: str) -> str:
    """Returns the last line of a failed command's output: the error of a Python program."""
    last = output.strip().splitlines()[-1]
    # Not the place of this copy of the project: the reason is kept with the results.
    return last.replace(f"{ROOT}/", "")[:_LONGEST_REASON]


def remove_rows(table: Table, seed: int, directory: Path) -> None:
    """Removes the run and the table of a finished match; its results stay."""
    place = directory / table.name / str(seed)
    shutil.rmtree(place / "run", ignore_errors=True)
    (place / f"{table.name}.csv").unlink(missing_ok=True)
