"""The job that the command gives to its DAG process."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

from pipeline.config import Config
from pipeline.runners.workspace.places import Workspace


@dataclass(frozen=True)
class Job:
    """One run; all places are absolute paths."""

    config: str
    """The configuration as JSON."""
    artifacts: str
    metadata: str
    """The SQLite file of ML Metadata."""
    serving: str
    backups: str
    temporary: str
    """The directory of files that are removed after the run."""
    until: str | None
    """The last component to run; None runs all."""

    @classmethod
    def of(cls, config: Config, workspace: Workspace, temporary: str, until: str | None) -> Job:
        """Returns the job that runs `config` in `workspace`; the caller must hold its lock."""
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
        """Returns the job as a line of JSON."""
        return json.dumps(dataclasses.asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: str) -> Job:
        """Returns the job that `to_line` wrote."""
        return cls(**json.loads(line))
