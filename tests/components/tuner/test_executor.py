"""The executor writes the best values and the table, and repeats no search without a change."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import pytest
from tfx.types import standard_artifacts

from components.tuner.executor import Executor
from components.tuner.results import BEST_FILE, read_results
from pipeline.core import ownership
from pipeline.core.errors import ConfigError
from pipeline.core.events import SearchResults


def run_executor(folder: Path, trial: str = "write_custom_journal", **tuning: Any) -> SearchResults:
    """Runs a search of one trial, and returns the table that the executor wrote."""
    search = {"training.learning_rate": {"choice": [0.01, 0.1]}}
    sections = {"tuning": {"search": search, "max_trials": 1, **tuning}, "training": {"epochs": 3}}
    custom_config = {
        "backup_directory": str(folder / "backups"),
        "journal": str(folder / "journal"),
        **{name: json.dumps(section) for name, section in sections.items()},
    }
    examples = standard_artifacts.Examples()
    examples.uri, examples.split_names = str(folder / "examples"), '["train", "eval"]'
    best, table = standard_artifacts.HyperParameters(), standard_artifacts.TunerResults()
    best.uri, table.uri = str(folder / "best"), str(folder / "table")
    properties = {
        "tuner_fn": f"fake_trials.{trial}",
        "train_args": "{}",
        "eval_args": "{}",
        "custom_config": json.dumps(custom_config),
    }
    outputs = {"best_hyperparameters": [best], "tuner_results": [table]}
    Executor().Do({"examples": [examples]}, outputs, properties)
    return read_results(table.uri)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(Path(__file__).parent), os.getcwd())))
    for split in ("train", "eval"):
        (tmp_path / "examples" / f"Split-{split}").mkdir(parents=True)
        (tmp_path / "examples" / f"Split-{split}" / "data").write_text("rows")
    return tmp_path


def test_the_same_search_is_not_repeated_with_more_processes_but_with_new_data(
    folder: Path,
) -> None:
    first = run_executor(folder)
    assert json.loads((folder / "best" / BEST_FILE).read_text()) == first.best_values
    assert first.trials[0].measures["epochs"] == 3

    second = run_executor(folder, parallel=2)
    assert second == first
    (folder / "examples" / "Split-train" / "data").write_text("more rows")
    third = run_executor(folder)
    assert third.search != first.search
    assert len((folder / "journal").read_text().splitlines()) == 2


@contextmanager
def searching_elsewhere(folder: Path) -> Iterator[ForkProcess]:
    """Starts a search in another process, and yields the process when its trial runs."""
    process = get_context("fork").Process(target=run_executor, args=(folder, "waits"))
    process.start()
    try:
        deadline = time.monotonic() + 60
        while not (folder / "journal").exists():
            assert process.is_alive()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.join()


def test_a_second_run_of_the_same_search_starts_no_trial(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "PATIENCE_SECONDS", 0.5)
    with searching_elsewhere(folder) as process:
        message = rf"^process {process.pid} on .* is running the same search"
        with pytest.raises(ConfigError, match=message):
            run_executor(folder)
        assert len((folder / "journal").read_text().splitlines()) == 1
        (folder / "go").touch()
        process.join(60)
        assert process.exitcode == 0
    run_executor(folder)
    assert len((folder / "journal").read_text().splitlines()) == 2, "the search is kept"


def test_the_search_of_a_killed_tuner_has_no_owner_when_its_trials_have_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "PATIENCE_SECONDS", 30.0)
    with searching_elsewhere(folder) as process:
        [line] = (folder / "journal").read_text().splitlines()
        trial = int(line.split()[1])
        os.kill(trial, signal.SIGSTOP)
        process.kill()
        process.join()
        threading.Timer(1.0, os.kill, (trial, signal.SIGKILL)).start()
        began = time.monotonic()
        run_executor(folder)
        assert time.monotonic() - began > 1.0
