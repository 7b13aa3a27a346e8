"""Reads the summary of a past run, whatever a kill, a full disk or a person left of its files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from pipeline.core.contracts import RunFile
from pipeline.core.events import DagFailure, EventReader, Failure
from pipeline.core.statuses import Status
from pipeline.terminal.summary import Summary


@dataclass(frozen=True)
class PastSummary:
    """The summary of a run, and what of it could not be read."""

    summary: Summary
    is_written: bool
    """Whether there is a summary.json; a killed run has none."""
    damage: str = ""
    """What is wrong with summary.json, in a sentence without its full stop; empty if nothing is."""


def read_summary(directory: Path, *, is_at_work: bool = False) -> PastSummary:
    """Returns the summary of the run whose directory of logs this is.

    The events of the run replace what summary.json lacks.

    Args:
      is_at_work: whether the run still goes on. Without it, a run without summary.json has died.
    """
    path = directory / RunFile.SUMMARY
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        summary = _read_events(directory)
        # After the death of the command, the DAG process sends the exit code of an interruption.
        summary.exit_code = None
        summary.status = Status.RUNNING if is_at_work else Status.DIED
        return PastSummary(summary, is_written=False)
    except (OSError, ValueError, RecursionError) as error:
        return _replace(directory, f"{path} cannot be read: {error}")
    if not isinstance(content, dict):
        return _replace(directory, f"{path} is not the summary of a run")
    return _make_summary(directory, content)


def _replace(directory: Path, damage: str) -> PastSummary:
    summary = _read_events(directory)
    summary.exit_code, summary.status = None, Status.DAMAGED
    return PastSummary(summary, is_written=True, damage=damage)


def _read_events(directory: Path) -> Summary:
    summary = Summary("", directory.name, str(directory / RunFile.LOG))
    for envelope in EventReader(directory / RunFile.EVENTS).read():
        summary.add(envelope.event)
    return summary


def _make_summary(directory: Path, content: Mapping[str, Any]) -> PastSummary:
    found, wrong = _validate(content)
    path = directory / RunFile.SUMMARY
    if "status" not in found or "exit_code" not in found:
        lost = ", ".join(sorted({"status", "exit_code"} - {*found}))
        return _replace(directory, f"{path} has no usable {lost}")
    # Reading all events takes longer than all else, and most runs do not need it.
    summary = _read_events(directory) if wrong else Summary("", directory.name, "")
    # The name and the log may have moved with the workspace.
    own = {"run": directory.name, "log": str(directory / RunFile.LOG)}
    for key, value in {**found, **own}.items():
        setattr(summary, key, value)
    if summary.status in (Status.STOPPED, Status.REFUSED):
        # Earlier versions had one word for both.
        summary.status = Status.of(Status.STOPPED.exit_code or 0, summary.component)
    damage = f"{path} has no usable {', '.join(wrong)}" if wrong else ""
    return PastSummary(summary, is_written=True, damage=damage)


def _validate(content: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns the values of the right type, and the keys of the wrong ones."""
    found, wrong = {}, []
    for key in (f.name for f in fields(Summary)):
        if key not in content:
            continue
        try:
            found[key] = _validator(key).validate_python(_with_nan(key, content[key]))
        except ValidationError:
            wrong.append(key)
    return found, wrong


def _with_nan(key: str, value: Any) -> Any:
    """Returns a value as it was before it was written: undefined metrics, and absent tables."""
    if key in ("metrics", "baseline_metrics"):
        return _replace_null(value)
    return None if value == {} else value


def _replace_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _replace_null(inner) for key, inner in value.items()}
    return math.nan if value is None else value


def _check_time(text: str) -> str:
    datetime.fromisoformat(text)
    return text


_TIME = Annotated[str, AfterValidator(_check_time)] | None
_SECONDS = Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
_FORMS: Mapping[str, Any] = {
    "started": _TIME,
    "ended": _TIME,
    "seconds": _SECONDS,
    # In this order: a failure of the DAG process has one key more.
    "error": Annotated[DagFailure | Failure | None, Field(union_mode="left_to_right")],
}
"""What the types of the fields do not say."""


@cache
def _validator(key: str) -> TypeAdapter[Any]:
    return TypeAdapter(_FORMS.get(key) or get_type_hints(Summary)[key])
