"""What the user can do after each ending: the same advice for each place where a pipeline runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from pipeline.core.events import Finding
from pipeline.core.statuses import Status
from pipeline.report.content import NextStep
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.terminal.acceptance import (
    ACCEPT_ALL,
    ACCEPT_ALL_TEXT,
    COMBINED_TEXT,
    can_accept_all,
    combine_options,
    find_options,
    group_by_acceptance,
)
from pipeline.terminal.missed_bounds import (
    ACCEPT_TEXT,
    CHANGE_TEXT,
    PROMOTE_TEXT,
    THRESHOLDS,
    loosen_thresholds,
)

_LOOK_AT_DATA = (
    "Look at the findings and their examples in the part about the data. If the data is wrong, "
    "correct it and run again"
)
_CONTINUE = (
    "Run again: what is complete comes from the cache, and a training or a search continues where "
    "it was"
)

_LOOK_AT_CHECK = (
    "Look at the failed requests and at the measurements in the part about the quality: "
    "docs/serving.md says what each of them means"
)
_RAISE_LIMIT = (
    "If the machine was busy, or the model may be so slow or so large, raise the limit in "
    "serving.check and run again: nothing is trained again"
)


class Place(Protocol):
    """Where the run ran: on this machine, or on Kubeflow."""

    def run_again(self, *settings: str) -> str:
        """Returns the command that starts the run again, with more settings KEY=VALUE."""

    def remark(self, text: str) -> str:
        """Returns the text before a command that starts a run, with what its reader must know."""

    def adapt(self, text: str) -> str:
        """Returns a sentence with each `--set KEY=VALUE` as this place takes settings."""

    def read_log(self) -> NextStep:
        """Returns how to read the log."""

    def after_push(self) -> Iterator[NextStep]: ...

    def after_waiting(self) -> Iterator[NextStep]: ...

    def after_withdrawal(self) -> Iterator[NextStep]: ...

    def after_miss(self) -> Iterator[NextStep]:
        """Yields where to look at a model that missed a threshold."""

    def after_search(self) -> Iterator[NextStep]: ...

    def while_at_work(self) -> Iterator[NextStep]: ...


def advise(run: RunFiles, place: Place) -> Iterator[NextStep]:
    """Yields the next steps, the most useful one first."""
    yield from _ADVICE.get(run.summary.status, _after_failure)(run, place)


def _after_stop(run: RunFiles, place: Place) -> Iterator[NextStep]:
    yield NextStep(place.remark(_LOOK_AT_DATA), place.run_again())
    checked = run.summary.findings
    if checked is None:
        return
    yield from _accept([f for f in checked.findings if f.severity == "stop"], place)
    if can_accept_all(checked):
        yield NextStep(ACCEPT_ALL_TEXT, place.run_again(ACCEPT_ALL))


def _accept(findings: list[Finding], place: Place) -> Iterator[NextStep]:
    """Yields how to accept the data, once for all columns with the same advice."""
    for accept, names in group_by_acceptance(findings).items():
        settings = _settings(find_options(accept))
        command = place.run_again(*settings) if settings else None
        text = f"If the new data of {', '.join(names)} is correct: {place.adapt(accept)}"
        yield NextStep(text, command)
    if options := combine_options(findings):
        yield NextStep(COMBINED_TEXT, place.run_again(*_settings(options)))


def _after_miss(run: RunFiles, place: Place) -> Iterator[NextStep]:
    yield from place.after_miss()
    thresholds = loosen_thresholds(run.summary, run.config) if run.config else ""
    settings = [f"{THRESHOLDS}={thresholds}"] if thresholds else []
    text = f"{ACCEPT_TEXT if settings else CHANGE_TEXT}. {PROMOTE_TEXT}"
    yield NextStep(place.remark(text), place.run_again(*settings))


def _settings(options: list[str]) -> list[str]:
    """Returns the assignments KEY=VALUE among options of the command line."""
    return [option for option in options if option != "--set"]


def _after_failure(run: RunFiles, place: Place) -> Iterator[NextStep]:
    if hint := run.summary.error and run.summary.error.hint:
        yield NextStep(hint, None)
    yield place.read_log()
    text = "Run again after the repair: what is complete comes from the cache"
    yield NextStep(place.remark(text), place.run_again())


def _after_failed_check(run: RunFiles, place: Place) -> Iterator[NextStep]:
    yield NextStep(_LOOK_AT_CHECK, None)
    yield place.read_log()
    yield NextStep(place.remark(_RAISE_LIMIT), place.run_again())


def _after_interruption(run: RunFiles, place: Place) -> Iterator[NextStep]:
    yield NextStep(place.remark(_CONTINUE), place.run_again())


def _after_death(run: RunFiles, place: Place) -> Iterator[NextStep]:
    yield from _after_interruption(run, place)
    yield place.read_log()


_ADVICE: dict[Status, Callable[[RunFiles, Place], Iterator[NextStep]]] = {
    Status.PUSHED: lambda _, place: place.after_push(),
    Status.WAITING: lambda _, place: place.after_waiting(),
    Status.WITHDRAWN: lambda _, place: place.after_withdrawal(),
    Status.NOT_BLESSED: _after_miss,
    Status.TUNED: lambda _, place: place.after_search(),
    Status.RUNNING: lambda _, place: place.while_at_work(),
    Status.STOPPED: _after_stop,
    Status.CHECK_FAILED: _after_failed_check,
    Status.INTERRUPTED: _after_interruption,
    Status.DIED: _after_death,
    Status.DAMAGED: _after_death,
}
"""All other endings are failures."""
