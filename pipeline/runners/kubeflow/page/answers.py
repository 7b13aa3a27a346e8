"""What a user asks after a run on Kubeflow, and only the volume knows: see Report.answers."""

from __future__ import annotations

import os
from collections.abc import Iterator

from components.served_model.changes import list_whole_versions, read_changes
from components.served_model.served_record import read_pointer_file
from pipeline.config import Config
from pipeline.core.errors import ConfigError
from pipeline.report.content import Answer, ServedVersion, TrainingPart
from pipeline.runners.kubeflow.compiling.required_settings import require_serving_directory
from pipeline.runners.reporting.parts.answers import describe_cost, describe_maker, find_own_cost

_IN_A_POD = "in a pod with the image and the volume"
_SERVING = "serving"
"""The name that `--output DIRECTORY` implies for the serving directory in it."""


def answer(config: Config, run: str, cached: TrainingPart | None) -> Iterator[Answer]:
    """Yields the answers, at most one to a question.

    Args:
      run: the id of the run.
      cached: the training that an earlier run did; None if this run trained. The page itself
        answers what a training of its own run costs.
    """
    served = _read_served(config)
    if served:
        yield Answer("maker", describe_maker(served, run), "lineage")
        yield Answer("back", _describe_back(served, config), "verdict")
    if cost := find_own_cost(cached):
        yield Answer("cost", describe_cost(cost, run), "training")


def _read_served(config: Config) -> ServedVersion | None:
    """Returns the served version; None if nothing is served, or if the volume cannot tell."""
    try:
        serving = require_serving_directory(config)
        record = read_pointer_file(serving)
        if record is None:
            return None
        changes = read_changes(serving)
        existing = list_whole_versions(serving, record.version)
    except (ConfigError, OSError):
        return None
    last = changes.last(record.version)
    return ServedVersion(
        version=record.version,
        since=last.at if last else "",
        run=last.run or None if last else None,
        has_page=False,
        baseline=record.baseline.version if record.baseline else None,
        earlier=changes.find_previous(existing),
    )


def _describe_back(served: ServedVersion, config: Config) -> str:
    if served.earlier is None:
        return f"No earlier version than {served.version} was left when this page was written."
    root, name = os.path.split(require_serving_directory(config).rstrip("/"))
    command = f"python -m pipeline rollback {served.earlier}"
    if name == _SERVING:
        command += f" --output {root}"
    return (
        f"`{command}`, {_IN_A_POD}, serves version {served.earlier} again, which was served before "
        f"version {served.version}: docs/versions.md."
    )
