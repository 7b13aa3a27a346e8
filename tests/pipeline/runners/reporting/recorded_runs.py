"""A workspace of real runs of every kind, made by `record_runs.py`, without models and tables."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.core.contracts import RunFile
from pipeline.core.events import EventReader, PipelineStarted
from pipeline.runners.workspace.places import Workspace

_ARCHIVE = Path(__file__).with_name("runs.tar.gz")
_COLUMNS = (("Artifact", "uri"), ("ArtifactProperty", "string_value"))


@dataclass(frozen=True)
class Recorded:
    """The workspace and its runs."""

    workspace: Workspace
    names: dict[str, str]
    """By kind: pushed, cached, not blessed, failed, interrupted, died, stopped, pushed again."""

    @property
    def run_ids(self) -> dict[str, str]:
        """The runs' ids in ML Metadata, by kind."""
        return {kind: self._read_id(name) for kind, name in self.names.items()}

    @property
    def versions(self) -> dict[str, str]:
        """The numbers of the versions that are the runs' models, by kind."""
        summaries = {kind: self._read_summary(name) for kind, name in self.names.items()}
        return {
            kind: Path(summary["pushed"]).name
            for kind, summary in summaries.items()
            if summary.get("pushed")
        }

    def _read_summary(self, name: str) -> dict[str, Any]:
        path = self.workspace.logs / name / RunFile.SUMMARY
        content: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return content

    def _read_id(self, name: str) -> str:
        events = EventReader(self.workspace.logs / name / RunFile.EVENTS).read()
        started = next(e.event for e in events if isinstance(e.event, PipelineStarted))
        assert started.run_id
        return started.run_id


def unpack(directory: Path) -> Recorded:
    """Unpacks the workspace, and writes its new place into files and metadata."""
    with tarfile.open(_ARCHIVE) as file:
        file.extractall(directory)
    names = json.loads((directory / "names.json").read_text())
    home = names.pop("home")
    for path in directory.rglob("*"):
        if path.suffix in (".json", ".jsonl", ".yaml"):
            path.write_text(path.read_text().replace(home, str(directory)))
    with closing(sqlite3.connect(directory / "out/metadata.db")) as database:
        for table, column in _COLUMNS:
            statement = f"UPDATE {table} SET {column} = replace({column}, ?, ?)"
            database.execute(statement, (home, str(directory)))
        database.commit()
    return Recorded(Workspace(directory / "out", directory / "out" / "serving"), names)
