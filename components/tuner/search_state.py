"""A search on the disk: what a search that was killed goes on from.

KerasTuner's own files are many, and a kill may leave one half written. Here all is one file, which
is replaced as a whole.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import keras_tuner
from keras_tuner.engine.trial import Trial

from components.tuner.search_space import chosen_values
from pipeline.config import TuningConfig
from pipeline.core.errors import PipelineError
from pipeline.core.events import TrialChanged, TrialResult, emit
from pipeline.core.files import write_text_atomically


class SearchState:
    """The oracle's state and the table of the trials, in `path`."""

    def __init__(self, path: Path, oracle: keras_tuner.Oracle, tuning: TuningConfig) -> None:
        self._path = path
        self._oracle = oracle
        self._tuning = tuning
        self.rows: dict[str, TrialResult] = {}
        """By trial, in the order of their start."""

    def restore(self) -> None:
        """Takes up an interrupted search, if there was one; what was at work is tried again.

        Raises:
          PipelineError: if it is damaged, or of another version of KerasTuner.
        """
        if not self._path.exists():
            return
        try:
            self._take(json.loads(self._path.read_text(encoding="utf-8")))
        except (ValueError, LookupError, TypeError) as error:
            raise PipelineError(
                f"{self._path}: the search that was interrupted cannot be taken up again",
                f"remove {self._path.parent} to search from the beginning",
            ) from error

    def _take(self, content: dict[str, Any]) -> None:
        oracle = content["oracle"]
        # KerasTuner takes the last of the queue first.
        oracle["retry_queue"] += reversed(oracle["ongoing_trials"].values())
        oracle["ongoing_trials"] = {}
        self._oracle.trials = {t["trial_id"]: Trial.from_state(t) for t in content["trials"]}
        self._oracle.set_state(oracle)
        self.rows = {row["trial"]: TrialResult(**row) for row in content["rows"]}

    def begin(self, trial: Trial) -> TrialResult:
        """Notes that the trial is run, for the first time or again."""
        name = name_of(trial)
        values = chosen_values(self._tuning.search, trial.hyperparameters.values)
        row = self.rows.get(name, TrialResult(name, values))
        return self.note(dataclasses.replace(row, status="running", runs=row.runs + 1))

    def note(self, row: TrialResult) -> TrialResult:
        """Keeps what is known of a trial, and tells it."""
        self.rows[row.trial] = row
        self._save()
        emit(
            TrialChanged(
                **vars(row),
                trials=self._tuning.trials,
                ended=self.ended(),
                best=self.best().score,
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

    def ended(self, *statuses: str) -> int:
        """How many trials are done or failed, or just one of these."""
        return sum(row.status in (statuses or ("done", "failed")) for row in self.rows.values())

    def best(self) -> Trial:
        """The best that ended well; if none did, any."""
        return self._oracle.get_best_trials()[0]

    def twin_of(self, row: TrialResult) -> TrialResult | None:
        """A trial of the same values that ended well."""
        done = (other for other in self.rows.values() if other.status == "done")
        return next((other for other in done if other.values == row.values), None)


def name_of(trial: Trial) -> str:
    """Trials are counted from 1 by whoever reads of them."""
    return str(int(trial.trial_id) + 1)
