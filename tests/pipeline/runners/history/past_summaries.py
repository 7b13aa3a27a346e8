"""Writes what runs leave behind, by the code that writes it after a run."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from components.served_model.served_record import ServedRecord
from pipeline.core.contracts import ArtifactFile, RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import ComponentChanged, ComponentState, Event, PipelineStarted, emit
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.summary import Summary

COMPONENTS = ("ExampleGen", "AnomalyGate", "Trainer", "Evaluator", "Pusher")


def leave_run(workspace: Workspace, name: str, *events: Event, **fields: Any) -> Path:
    """Leaves the summary of a run that ended, as `run` writes it."""
    directory = workspace.logs / name
    directory.mkdir(parents=True)
    summary = Summary("shop", name, str(directory / RunFile.LOG), **fields)
    for event in events:
        summary.add(event)
    summary.finish(0)
    summary.write(directory / RunFile.SUMMARY)
    return directory


def leave_killed_run(
    workspace: Workspace, name: str, states: Sequence[ComponentState], *later: Event
) -> Path:
    """Leaves the events of a run that was killed in the last component of `states`.

    `later` are the events that the DAG process sends after its parent's death.
    """
    directory = workspace.logs / name
    directory.mkdir(parents=True)
    with patch.dict(os.environ, {EVENTS_VARIABLE: str(directory / RunFile.EVENTS)}):
        emit(PipelineStarted(COMPONENTS, run_id=name))
        for component, state in zip(COMPONENTS[-len(states) :], states, strict=True):
            emit(ComponentChanged(component, state))
        for event in later:
            emit(event)
    return directory


def serve(workspace: Workspace, version: str, model: str = "model") -> Path:
    """Makes a version and the pointer that names it; `model` is the URI of its artifact."""
    (workspace.serving / version).mkdir(parents=True)
    record = ServedRecord(version, model, "evaluation", "statistics", "schema", "{}", "d", "r")
    (workspace.serving / ArtifactFile.SERVED_RECORD).write_text(record.to_json())
    return workspace.serving / version
