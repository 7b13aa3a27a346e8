"""Saves the state of a search to one file, from which a killed search continues.

KerasTuner writes many files, and a kill may leave one of them half written. This module writes one
file and replaces it atomically.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import keras_tuner
from keras_tuner.engine.trial import Trial

from components.tuner.search_space import convert_values
from pipeline.config import TuningConfig
from pipeline.core.errors import PipelineError
from pipeline.core.events import TrialChanged, TrialResult, emit
from pipeline.core.files import write_text_atomically


class SearchState:
    """The oracle's state and the table of trials, saved in the file `path`."""

    def __init__(self, path: Path, oracle: keras_tuner.Oracle, tuning: TuningConfig) -> None:
        self._path = path
        self._oracle = oracle
        self._tuning = tuning
        self.rows: dict[str, TrialResult] = {}
        """The table: rows by trial name, in the order of the trials' first starts."""

    def restore(self) -> None:
        """Loads an interrupted search, if the file exists; its running trials are run again.

        Raises:
          PipelineError: the file is damaged, or another version of KerasTuner wrote it.
        """
        if not self._path.exists():
            return
        try:
            self._load(json.loads(self._path.read_text(encoding="utf-8")))
        except (ValueError, LookupError, TypeError) as error:
            raise PipelineError(
                f"{self._path}: cannot continue the interrupted search from this file",
                f"remove {self._path.parent} to search from the beginning",
            ) from error

    def _load(self, content: dict[str, Any]) -> None:
        oracle = content["oracle"]
        # Reversed, since KerasTuner takes the last trial of the queue first.
        oracle["retry_queue"] += reversed(oracle["ongoing_trials"].values())
        oracle["ongoing_trials"] = {}
        self._oracle.trials = {t["trial_id"]: Trial.from_state(t) for t in content["trials"]}
        self._oracle.set_state(oracle)
        self.rows = {row["trial"]: TrialResult(**row) for row in content["rows"]}

    def record_start(self, trial: Trial) -> TrialResult:
        """Records another run of the trial, and returns its row."""
        name = get_trial_name(trial)
        values = convert_values(self._tuning.search, trial.hyperparameters.values)
        row = self.rows.get(name, TrialResult(name, values))
        return self.record(dataclasses.replace(row, status="running", runs=row.runs + 1))

    def record(self, row: TrialResult) -> TrialResult:
        """Replaces the trial's row, saves the state and emits the event `trial`."""
        self.rows[row.trial] = row
        self._save()
        emit(
            TrialChanged(
                **vars(row),
                trials=self._tuning.trials,
                ended=self.count("done", "failed"),
                best=self.get_best_trial().score,
            )
        )
        return row

    def _save(self) -> None:
        content = {
            "oracle": self._oracle.get_state(),
            "trials": [trial.get_state() for trial in self._oracle.trials.values()],
            "rows": [dataclasses.asdict(row) for row in self.rows.values()],
        }
        write_text_atomically(self._path, json.dumps(content), durable=True)

    def count(self, *statuses: str) -> int:
        """Returns the number of trials with one of these statuses."""
        return sum(row.status in statuses for row in self.rows.values())

    def get_best_trial(self) -> Trial:
        """Returns the best trial with status `done`, or any trial if no trial is done."""
        return self._oracle.get_best_trials()[0]

    def find_twin(self, row: TrialResult) -> TrialResult | None:
        """Returns a done trial with the same values, or None."""
        done = (other for other in self.rows.values() if other.status == "done")
        return next((other for other in done if other.values == row.values), None)


def get_trial_name(trial: Trial) -> str:
    """Returns the trial's number as users see it, from 1; KerasTuner counts from 0."""
    return str(int(trial.trial_id) + 1)
