"""Progress events of trees, and the steps file of a supervised training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainer_module.trees.progress import TreesProgress


def test_the_last_and_evenly_spaced_iterations_are_told_and_other_quick_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, steps = tmp_path / "events.jsonl", tmp_path / "steps.json"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    monkeypatch.setenv("PIPELINE_STEPS", str(steps))
    progress = TreesProgress(rows=100, first=2, iterations=31, steps_before=40)
    progress.update(3, 0.5, 0.6)
    assert not events.exists()
    progress.update(4, 0.4, 0.5)
    progress.update(31, 0.3, 0.4)
    even, told = map(json.loads, events.read_text().splitlines())
    assert even["epoch"] == 4
    assert (told["epoch"], told["epochs"], told["unit"]) == (31, 31, "iteration")
    assert told["examples_per_second"] > 0
    assert told["seconds_left"] == 0
    assert json.loads(steps.read_text()) == [71, 31]
    progress.end()
    assert json.loads(steps.read_text()) == [71, 0], "a tick of 0 tells of the pause for the export"
    assert len(events.read_text().splitlines()) == 2


def test_the_last_iteration_is_told_where_early_stopping_ended_the_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = tmp_path / "events.jsonl"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    progress = TreesProgress(rows=100, first=0, iterations=1000)
    for iteration in (50, 51):
        progress.update(iteration, 0.5, 0.6)
    progress.end()
    assert [json.loads(line)["epoch"] for line in events.read_text().splitlines()] == [50, 51]
