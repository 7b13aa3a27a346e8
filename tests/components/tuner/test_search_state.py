"""The file of a search holds its rows and its oracle, and running trials run again."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from components.tuner.oracle import make_oracle
from components.tuner.search_state import SearchState, get_trial_name
from pipeline.config import TuningConfig

_TUNING = TuningConfig.model_validate(
    {"search": {"training.learning_rate": {"choice": [0.01, 0.1, 1.0]}}, "max_trials": 3}
)


def make_state(folder: Path) -> SearchState:
    (folder / "oracle").mkdir(exist_ok=True)
    oracle = make_oracle(_TUNING, 3, str(folder / "oracle"))
    return SearchState(folder / "search.json", oracle, _TUNING)


def test_a_running_trial_runs_again_after_a_restart(tmp_path: Path) -> None:
    state = make_state(tmp_path)
    row = state.record_start(state._oracle.create_trial("0"))
    assert (row.trial, row.status, row.runs) == ("1", "running", 1)

    restored = make_state(tmp_path)
    restored.restore()
    assert restored.rows == state.rows
    again = restored._oracle.create_trial("0")
    assert get_trial_name(again) == "1"
    assert restored.record_start(again) == dataclasses.replace(row, runs=2)


def test_only_a_done_trial_with_the_same_values_is_a_twin(tmp_path: Path) -> None:
    state = make_state(tmp_path)
    row = state.record_start(state._oracle.create_trial("0"))
    same = dataclasses.replace(row, trial="2")
    assert state.find_twin(same) is None
    done = state.record(dataclasses.replace(row, status="done"))
    assert state.find_twin(same) == done
    other = dataclasses.replace(same, values={"training.learning_rate": -1})
    assert state.find_twin(other) is None


def test_statuses_are_counted(tmp_path: Path) -> None:
    state = make_state(tmp_path)
    row = state.record_start(state._oracle.create_trial("0"))
    for trial, status in (("1", "done"), ("2", "failed"), ("3", "running")):
        state.record(dataclasses.replace(row, trial=trial, status=status))
    assert [state.count(*s) for s in (["done"], ["done", "failed"], ["lost"])] == [1, 2, 0]
    saved = json.loads((tmp_path / "search.json").read_text())
    assert [each["status"] for each in saved["rows"]] == ["done", "failed", "running"]
