"""What a user asks after a run on Kubeflow, and only the volume knows: see Report.answers."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pipeline.config import Config
from pipeline.core.errors import ConfigError
from pipeline.report.content import Answer, ServedVersion, TrainingPart
from pipeline.runners.kubeflow.compiling.required_settings import require_serving_directory
from pipeline.runners.reporting.parts.answers import describe_cost, describe_maker, find_own_cost
from pipeline.runners.reporting.reading.serving import read_serving_directory

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
        found = read_serving_directory(require_serving_directory(config))
    except ConfigError:
        return None
    return found and found[0]


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
