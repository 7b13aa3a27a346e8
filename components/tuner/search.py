"""The search itself: asks the oracle for values, has them tried, and tells it what came of them.

The oracle lives here, in one process, and the trials know nothing of it. KerasTuner's own chief
and workers would do without a supervisor, but also without what one is there for: a chief waits
for a killed worker forever, its trial is not tried again, and the cause of a failed trial does not
reach the chief.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

import keras_tuner
from keras_tuner.engine.trial import Trial, TrialStatus

from components.tuner.oracle import measure_of
from components.tuner.search_state import SearchState, name_of
from components.tuner.trial import TrialJob
from components.tuner.trial_process import Outcome
from pipeline.config import TuningConfig
from pipeline.core.errors import ConfigError, DataError, PipelineError
from pipeline.core.events import SearchResults, SearchResumed, TrialResult, emit

_LOOK_SECONDS = 0.25
_MOST_FAILURES = 3
"""Failed trials without any that ended well, after which none is expected to."""

_GOES_ON = "mend that, and run the same command again: trials that have ended are kept"


class Run(Protocol):
    """A run of a trial that has been started."""

    def look(self) -> Outcome | None:
        """How it ended; None while it is at work."""

    def terminate(self) -> None:
        """Asks it to end."""

    def stop(self) -> None:
        """Ends it, if it has not ended, and removes what only it needed."""


class _MachineError(PipelineError):
    """What ended the search says nothing of any values."""


class _AtWork(NamedTuple):
    trial: Trial
    run: Run
    began: float


class Search:
    """One search, in a directory of its own: run there again, it goes on where it was ended.

    `job` is what all trials have in common; `start` starts the trial of a name.
    """

    def __init__(
        self,
        tuning: TuningConfig,
        oracle: keras_tuner.Oracle,
        job: TrialJob,
        directory: Path,
        start: Callable[[str, TrialJob], Run],
    ) -> None:
        self._tuning = tuning
        self._oracle = oracle
        self._job = job
        self._directory = directory
        self._start = start
        self._state = SearchState(directory / "search.json", oracle, tuning)
        self._first_error: PipelineError | None = None
        self._at_work: dict[str, _AtWork] = {}
        """By slot, of which there are as many as trials at a time."""

    def run(self) -> SearchResults:
        """Searches to the end.

        Raises:
          PipelineError: the cause, if no trial can end well, or if the machine is to blame.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        self._state.restore()
        if ended := self._state.ended():
            emit(SearchResumed(trials=ended))
        try:
            self._try_all()
            return self._results()
        except _MachineError:
            raise
        except PipelineError:
            # Nothing was found yet: the same command is to try anew.
            shutil.rmtree(self._directory, ignore_errors=True)
            raise

    def _try_all(self) -> None:
        try:
            self._start_trials()
            while self._at_work:
                self._end_trials()
                self._start_trials()
        finally:
            # All at once: each may take its time.
            for at_work in self._at_work.values():
                at_work.run.terminate()
            for at_work in self._at_work.values():
                at_work.run.stop()

    def _start_trials(self) -> None:
        """Starts as many as there are free slots, and as the oracle has values for now."""
        for slot in map(str, range(self._tuning.parallel)):
            while slot not in self._at_work:
                trial = self._oracle.create_trial(slot)
                if trial.status != TrialStatus.RUNNING:
                    return
                row = self._state.begin(trial)
                if twin := self._twin_of(row):
                    self._end(trial, twin)
                else:
                    run = self._start(row.trial, self._job_of(trial, row))
                    self._at_work[slot] = _AtWork(trial, run, time.monotonic())

    def _twin_of(self, row: TrialResult) -> Outcome | None:
        """What came of the same values: the Gaussian process may ask for them again."""
        # Under Hyperband they are to be trained longer.
        twin = None if self._tuning.algorithm == "hyperband" else self._state.twin_of(row)
        return Outcome(twin.measures) if twin else None

    def _job_of(self, trial: Trial, row: TrialResult) -> TrialJob:
        """What the trial is to do; one that goes on from another gets a copy of what that left."""
        directory = self._directory_of(trial)
        drawn = trial.hyperparameters.values
        if (earlier := drawn.get("tuner/trial_id")) and not directory.exists():
            staged = directory.with_suffix(".part")
            shutil.rmtree(staged, ignore_errors=True)
            shutil.copytree(self._directory_of(self._oracle.get_trial(earlier)), staged)
            staged.rename(directory)
        epochs = drawn.get("tuner/epochs") or row.values.get("training.epochs", self._job.epochs)
        return dataclasses.replace(
            self._job, values=row.values, epochs=epochs, directory=str(directory)
        )

    def _end_trials(self) -> None:
        """Waits until one has ended, and ends all that have.

        Raises:
          PipelineError: one was not to blame for its end, and is to be tried again by the same
            command; or none can end well.
        """
        while not (ended := self._ended()):
            time.sleep(_LOOK_SECONDS)
        faults = {slot: o.error for slot, o in ended.items() if o.error and o.error.of_machine}
        for slot, outcome in ended.items():
            if slot in faults:
                continue
            trial, run, began = self._at_work.pop(slot)
            run.stop()
            self._end(trial, outcome, time.monotonic() - began)
            self._give_up_if_hopeless(outcome)
        for fault in faults.values():
            raise _MachineError(fault.message, fault.hint or _GOES_ON)

    def _ended(self) -> dict[str, Outcome]:
        looks = {slot: at_work.run.look() for slot, at_work in self._at_work.items()}
        return {slot: outcome for slot, outcome in looks.items() if outcome is not None}

    def _end(self, trial: Trial, outcome: Outcome, seconds: float = 0.0) -> None:
        measure = measure_of(self._tuning)
        row = self._state.rows[name_of(trial)]
        row = dataclasses.replace(row, seconds=round(row.seconds + seconds, 1))
        if math.isfinite(objective := outcome.measures.get(measure, math.nan)):
            self._oracle.update_trial(trial.trial_id, {measure: objective})
            trial.status = TrialStatus.COMPLETED
            row = dataclasses.replace(row, objective=objective, measures=outcome.measures)
        else:
            trial.status = TrialStatus.INVALID if outcome.lost else TrialStatus.FAILED
            message = outcome.error.message if outcome.error else f"{measure} is {objective}"
            row = dataclasses.replace(row, message=message)
        self._oracle.end_trial(trial)
        self._state.note(dataclasses.replace(row, status=_STATUS[trial.status]))
        if trial.status != TrialStatus.INVALID and self._tuning.algorithm != "hyperband":
            # Only Hyperband may go on from its weights.
            shutil.rmtree(self._directory_of(trial), ignore_errors=True)

    def _give_up_if_hopeless(self, outcome: Outcome) -> None:
        """Where no trial ended well: what the data or the configuration are to blame for stays."""
        if outcome.error is None:
            return
        error = outcome.error.to_error()
        self._first_error = self._first_error or error
        logging.warning("A trial did not end well: %s", error)
        often = self._state.ended("failed") >= _MOST_FAILURES
        if not self._state.ended("done") and (often or isinstance(error, (ConfigError, DataError))):
            raise self._first_error

    def _results(self) -> SearchResults:
        best, rows = self._state.best(), tuple(self._state.rows.values())
        if best.status != TrialStatus.COMPLETED:
            raise PipelineError(f"no trial of the search ended well; the first: {rows[0].message}")
        name = name_of(best)
        return SearchResults(
            objective=measure_of(self._tuning),
            trials=rows,
            best=name,
            search=self._directory.name,
            best_values=self._state.rows[name].values,
        )

    def _directory_of(self, trial: Trial) -> Path:
        return self._directory / f"trial-{name_of(trial)}"


_STATUS = {
    TrialStatus.COMPLETED: "done",
    TrialStatus.INVALID: "lost",
    TrialStatus.FAILED: "failed",
}
