"""The tables and messages that events carry, and their form as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

ComponentState = Literal["running", "complete", "cached", "failed", "interrupted"]

LEFT_OUT_IF_NONE = {"left out if None": True}
"""The metadata of a dataclass field that `to_json` leaves out while it is None."""

_T = TypeVar("_T")


def to_json(content: Any) -> Any:
    """Returns dataclasses, also nested ones, as values that the `json` module can write."""
    if dataclasses.is_dataclass(content):
        return {
            f.name: to_json(value)
            for f in dataclasses.fields(content)
            if (value := getattr(content, f.name)) is not None or f.metadata != LEFT_OUT_IF_NONE
        }
    if isinstance(content, Mapping):
        return {key: to_json(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [to_json(value) for value in content]
    return content


def from_json(cls: type[_T], content: Mapping[str, Any]) -> _T:
    """Returns a dataclass made of the keys that are fields of it; other keys are ignored.

    Raises:
      TypeError: a field without a default is missing.
    """
    names = [f.name for f in dataclasses.fields(cls) if f.init]  # type: ignore[arg-type]
    return cls(**{name: content[name] for name in names if name in content})


@dataclass(frozen=True)
class Failure:
    """Why a run ended early."""

    message: str
    """The cause, in one sentence."""
    hint: str | None = field(default=None, metadata=LEFT_OUT_IF_NONE)
    """What the user can do about it; empty if nothing is known."""


@dataclass(frozen=True, kw_only=True)
class DagFailure(Failure):
    """A failure in the DAG process of a local run, which knows the component."""

    component: str | None
    """The component that failed; None if the failure is outside of all components."""


@dataclass(frozen=True)
class WithdrawnModel:
    """The model of a run is a version that a rollback withdrew."""

    version: str
    why: str
    """Who withdrew the version, when and why: a sentence without its full stop."""


def failure_from_json(content: Mapping[str, Any]) -> Failure:
    """Returns the failure whose JSON is `content`."""
    return from_json(DagFailure if "component" in content else Failure, content)


@dataclass(frozen=True)
class Finding:
    """One way in which the data differs from the schema or from the served model's data."""

    column: str | None
    """None if the finding is about the whole table."""
    kind: str
    """A key of `validation.severity`."""
    severity: Literal["stop", "warn", "ignore"]
    splits: tuple[str, ...]
    """The splits with this finding."""
    problem: str
    """What is wrong, in one sentence."""
    expected: str
    found: str
    examples: tuple[str, ...]
    """Values of the column that show the problem."""
    accept: str
    """What the user does if the data is right and the expectation is wrong."""
    against: str
    """The schema or the statistics that the data was compared with."""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Finding:
        """Returns the finding whose JSON is `content`."""
        lists = {key: tuple(content[key]) for key in ("splits", "examples")}
        return from_json(cls, {**content, **lists})


@dataclass(frozen=True)
class TrialResult:
    """One trial of a search: a row of its table."""

    trial: str
    """The trial's number, from 1 on."""
    values: Mapping[str, Any]
    """The tried value of each searched configuration key."""
    status: str = ""
    """running, done or failed; lost if its process died, until the trial is run again."""
    objective: float | None = None
    """The measure at the epoch with the lowest evaluation loss, whose weights training keeps."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """All measures at that epoch, and the numbers of epochs and of steps that were trained."""
    seconds: float = 0.0
    """Wall time of all its runs; a run begins with the start of its process."""
    runs: int = 0
    """How often the trial was started: more than once if its process, or the search, died."""
    message: str = ""
    """Why the trial failed, or why its process was lost the last time."""


@dataclass(frozen=True)
class SearchResults:
    """The table of a finished search; the trials stand in the order of their start."""

    objective: str
    """The measure that the search optimizes, such as eval_loss."""
    trials: tuple[TrialResult, ...]
    best: str
    """The number of the best trial."""
    search: str
    """The name of the search's directory among the backups."""
    best_values: Mapping[str, Any]
    """The values of the best trial, by configuration key."""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> SearchResults:
        """Returns the table whose JSON is `content`."""
        trials = tuple(from_json(TrialResult, trial) for trial in content["trials"])
        return from_json(cls, {**content, "trials": trials})
