"""Runs a search: asks the oracle for values, starts trials, and reports their results to it.

The oracle lives in this process, and the trials do not know it. KerasTuner's own chief and workers
are not used: a chief waits forever for a killed worker, does not retry its trial, and does not
learn why a trial failed.
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

from components.tuner.oracle import get_objective_name
from components.tuner.search_state import SearchState, get_trial_name
from components.tuner.trial import TrialJob
from components.tuner.trial_process import Outcome
from pipeline.config import TuningConfig
from pipeline.core.errors import ConfigError, DataError, PipelineError
from pipeline.core.events import SearchResults, SearchResumed, TrialResult, emit

_POLL_SECONDS = 0.25
"""The pause between two looks at the trials. It bounds how late an end is noticed."""
_MOST_FAILURES = 3
"""The search gives up after this many failed trials if no trial has succeeded.

One or two failures may come from unlucky values. After three, the cause is probably the same for
all values, such as a mistake in the code, and each further trial would cost a training.
"""

_CONTINUE_HINT = "repair this and run the same command again: ended trials are kept"


class TrialRun(Protocol):
    """A started run of a trial."""

    def poll(self) -> Outcome | None:
        """Returns how the run ended; None while it is running."""

    def terminate(self) -> None:
        """Asks the run to end, without waiting for its end."""

    def stop(self) -> None:
        """Ends the run if it is still running, and removes its temporary files."""


class _MachineError(PipelineError):
    """The machine ended the search, such as by a full disk; the state of the search is kept."""


class _RunningTrial(NamedTuple):
    trial: Trial
    run: TrialRun
    began: float
    """The start in seconds of `time.monotonic`."""


class Search:
    """One search with its state in `directory`; a second search there continues the first one.

    `job` holds the arguments that all trials have in common. `start(name, job)` starts a run of the
    trial with this name.
    """

    def __init__(
        self,
        tuning: TuningConfig,
        oracle: keras_tuner.Oracle,
        job: TrialJob,
        directory: Path,
        start: Callable[[str, TrialJob], TrialRun],
    ) -> None:
        self._tuning = tuning
        self._oracle = oracle
        self._job = job
        self._directory = directory
        self._start = start
        self._state = SearchState(directory / "search.json", oracle, tuning)
        self._first_error: PipelineError | None = None
        self._running: dict[str, _RunningTrial] = {}
        """Running trials by slot. There are `tuning.parallel` slots, named `0`, `1` and so on."""

    def run(self) -> SearchResults:
        """Searches to the end.

        Raises:
          PipelineError: no trial can succeed (the state is removed, so that the same command
            searches from the beginning), or the machine failed (the state is kept).
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        self._state.restore()
        if ended := self._state.count("done", "failed"):
            emit(SearchResumed(trials=ended))
        try:
            self._run_trials()
            return self._make_results()
        except _MachineError:
            raise
        except PipelineError:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise

    def _run_trials(self) -> None:
        try:
            self._start_trials()
            while self._running:
                self._end_trials()
                self._start_trials()
        finally:
            # First ask all runs to end, then wait for each: they end at the same time.
            for running in self._running.values():
                running.run.terminate()
            for running in self._running.values():
                running.run.stop()

    def _start_trials(self) -> None:
        """Starts a trial in every free slot, as long as the oracle has values."""
        for slot in map(str, range(self._tuning.parallel)):
            while slot not in self._running:
                trial = self._oracle.create_trial(slot)
                if trial.status != TrialStatus.RUNNING:
                    return
                row = self._state.record_start(trial)
                if earlier := self._find_earlier_outcome(row):
                    self._end(trial, earlier)
                else:
                    run = self._start(row.trial, self._make_job(trial, row))
                    self._running[slot] = _RunningTrial(trial, run, time.monotonic())

    def _find_earlier_outcome(self, row: TrialResult) -> Outcome | None:
        """Returns the outcome of an earlier trial with the same values, which need no training.

        The Gaussian process may ask for the same values again.
        """
        # Hyperband asks for the same values in order to train them longer.
        twin = None if self._tuning.algorithm == "hyperband" else self._state.find_twin(row)
        return Outcome(twin.measures) if twin else None

    def _make_job(self, trial: Trial, row: TrialResult) -> TrialJob:
        """Returns the trial's arguments.

        A Hyperband trial that continues an earlier trial gets a copy of its directory.
        """
        directory = self._get_directory(trial)
        drawn = trial.hyperparameters.values
        if (earlier := drawn.get("tuner/trial_id")) and not directory.exists():
            staged = directory.with_suffix(".part")
            shutil.rmtree(staged, ignore_errors=True)
            shutil.copytree(self._get_directory(self._oracle.get_trial(earlier)), staged)
            staged.rename(directory)
        epochs = drawn.get("tuner/epochs") or row.values.get("training.epochs", self._job.epochs)
        return dataclasses.replace(
            self._job, values=row.values, epochs=epochs, directory=str(directory)
        )

    def _end_trials(self) -> None:
        """Waits until a trial has ended, and records every trial that has ended.

        A trial that a fault of the machine ended is not recorded: the same command runs it again.

        Raises:
          PipelineError: the machine failed, or no trial can succeed.
        """
        while not (ended := self._poll_trials()):
            time.sleep(_POLL_SECONDS)
        faults = {slot: o.error for slot, o in ended.items() if o.error and o.error.of_machine}
        for slot, outcome in ended.items():
            if slot in faults:
                continue
            trial, run, began = self._running.pop(slot)
            run.stop()
            self._end(trial, outcome, time.monotonic() - began)
            self._give_up_if_hopeless(outcome)
        for fault in faults.values():
            raise _MachineError(fault.message, fault.hint or _CONTINUE_HINT)

    def _poll_trials(self) -> dict[str, Outcome]:
        """Returns the outcomes of the trials that have ended, by slot."""
        outcomes = {slot: running.run.poll() for slot, running in self._running.items()}
        return {slot: outcome for slot, outcome in outcomes.items() if outcome is not None}

    def _end(self, trial: Trial, outcome: Outcome, seconds: float = 0.0) -> None:
        """Reports a trial's outcome to the oracle, and records it.

        A trial whose objective is missing or not finite fails. A lost trial is retried by the
        oracle up to `tuning.max_retries` times.
        """
        name = get_objective_name(self._tuning)
        row = self._state.rows[get_trial_name(trial)]
        row = dataclasses.replace(row, seconds=round(row.seconds + seconds, 1))
        if math.isfinite(objective := outcome.measures.get(name, math.nan)):
            self._oracle.update_trial(trial.trial_id, {name: objective})
            trial.status = TrialStatus.COMPLETED
            row = dataclasses.replace(row, objective=objective, measures=outcome.measures)
        else:
            trial.status = TrialStatus.INVALID if outcome.lost else TrialStatus.FAILED
            message = outcome.error.message if outcome.error else f"{name} is {objective}"
            row = dataclasses.replace(row, message=message)
        self._oracle.end_trial(trial)
        self._state.record(dataclasses.replace(row, status=_STATUS[trial.status]))
        if trial.status != TrialStatus.INVALID and self._tuning.algorithm != "hyperband":
            # Only Hyperband continues an ended trial from its weights.
            shutil.rmtree(self._get_directory(trial), ignore_errors=True)

    def _give_up_if_hopeless(self, outcome: Outcome) -> None:
        """Raises the first trial's error if no trial has succeeded and none is expected to.

        That is after `_MOST_FAILURES` failures, and at once if the data or the configuration are
        wrong: all trials have the same data.
        """
        if outcome.error is None:
            return
        error = outcome.error.to_error()
        self._first_error = self._first_error or error
        logging.warning("A trial failed: %s", error)
        is_same_for_all = isinstance(error, (ConfigError, DataError))
        often = self._state.count("failed") >= _MOST_FAILURES
        if not self._state.count("done") and (often or is_same_for_all):
            raise self._first_error

    def _make_results(self) -> SearchResults:
        best, rows = self._state.get_best_trial(), tuple(self._state.rows.values())
        if best.status != TrialStatus.COMPLETED:
            raise PipelineError(
                f"no trial of the search succeeded; the first trial: {rows[0].message}"
            )
        name = get_trial_name(best)
        return SearchResults(
            objective=get_objective_name(self._tuning),
            trials=rows,
            best=name,
            search=self._directory.name,
            best_values=self._state.rows[name].values,
        )

    def _get_directory(self, trial: Trial) -> Path:
        return self._directory / f"trial-{get_trial_name(trial)}"


_STATUS = {
    TrialStatus.COMPLETED: "done",
    TrialStatus.INVALID: "lost",
    TrialStatus.FAILED: "failed",
}
