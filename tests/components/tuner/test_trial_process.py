"""How the end of a trial's process becomes an outcome."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from components.tuner.trial import TrialJob
from components.tuner.trial_process import Outcome, TrialProcess


def run_trial_process(
    function: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **limits: float
) -> Outcome:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(Path(__file__).parent), os.getcwd())))
    inputs, values = {"journal": str(folder / "journal")}, {"training.learning_rate": 0.1}
    job = TrialJob(f"fake_trials.{function}", inputs, 1, values, str(folder / "trial-1"))
    process = TrialProcess("1", job, parallel=1, **{"stall_seconds": 600.0, **limits})
    try:
        while (outcome := process.poll()) is None:
            time.sleep(0.02)
        return outcome
    finally:
        process.stop()


def test_a_successful_trial_gives_its_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = run_trial_process("valley", tmp_path, monkeypatch)
    assert (outcome.measures["steps"], outcome.error, outcome.lost) == (10, None, False)


def test_an_exception_is_reported_and_the_trial_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = run_trial_process("broken", tmp_path, monkeypatch)
    assert outcome.error is not None
    assert (outcome.error.message, outcome.lost) == ("TypeError: no such layer", False)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("killed_once", "its process was killed by signal 9"),
        ("hangs_once", "made no progress in 0.5 s"),
    ],
)
def test_a_killed_or_hung_trial_is_lost(
    function: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = run_trial_process(function, tmp_path, monkeypatch, stall_seconds=0.5)
    assert outcome.error is not None
    assert (outcome.error.message, outcome.lost, outcome.measures) == (message, True, {})
