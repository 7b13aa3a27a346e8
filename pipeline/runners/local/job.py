"""What the parent asks of its working process."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

from pipeline.config import Config
from pipeline.runners.workspace.places import Workspace


@dataclass(frozen=True)
class Job:
    """One run, as a line of JSON."""

    config: str
    artifacts: str
    metadata: str
    serving: str
    backups: str
    temporary: str
    """For files that nobody needs after the run."""
    until: str | None
    """The last component to run; None runs all."""

    @classmethod
    def of(cls, config: Config, workspace: Workspace, temporary: str, until: str | None) -> Job:
        """The job of running `config` in `workspace`."""
        return cls(
            config=config.model_dump_json(by_alias=True),
            artifacts=str(workspace.artifacts_directory()),
            metadata=str(workspace.metadata),
            serving=str(workspace.serving),
            backups=str(workspace.backups),
            temporary=temporary,
            until=until,
        )

    def to_line(self) -> bytes:
        """The job as its line."""
        return json.dumps(dataclasses.asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: str) -> Job:
        """The job that `to_line` wrote."""
        return cls(**json.loads(line))
