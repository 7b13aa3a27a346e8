"""The record of one task of a run, and its form as JSON."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from pipeline.core.events import Failure
from pipeline.core.text import readable_json

State = Literal["running", "complete", "failed", "interrupted", "cached"]


@dataclass(frozen=True)
class OutputRecord:
    """An output artifact."""

    type: str
    """The name of the artifact's type, such as `Examples`."""
    uri: str
    """The address in the store."""
    properties: Mapping[str, str | int | float]
    """The custom properties."""


@dataclass(frozen=True)
class TaskRecord:
    """A task, as far as it got."""

    node: str
    run: str
    """The id of the run that executed the task; an earlier run if the task is cached."""
    state: State
    """A task that was killed stays running."""
    started: float
    """Seconds since the epoch."""
    seconds: float | None = None
    """Wall time of the last attempt; None until it has ended."""
    properties: str = ""
    """The digest of the execution properties: a part of the key of Kubeflow's cache."""
    code: Mapping[str, str] = field(default_factory=dict)
    """The digests of the component's code, and of the module that it loads, by name."""
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The addresses of the input artifacts, by key: the other part of the key of the cache."""
    outputs: Mapping[str, OutputRecord] = field(default_factory=dict)
    """The output artifacts by key; empty unless the task is complete."""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """What the page shows of the task beside its artifacts, by name."""
    hardware: Mapping[str, str] = field(default_factory=dict)
    """The cores, the memory and more of the task's pod, as the page shows them."""
    error: Failure | None = None
    """Why the task failed."""
    exit_code: int | None = None
    """The exit code of the container; None until it has ended."""

    def to_json(self) -> str:
        return readable_json(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: bytes) -> TaskRecord:
        """Returns the record that `to_json` wrote.

        Raises:
          ValueError: the text is damaged.
        """
        return TypeAdapter(cls).validate_json(text)


def digest_properties(text: str) -> str:
    """Returns the digest of a task's execution properties, in the form that Kubeflow passes on."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
