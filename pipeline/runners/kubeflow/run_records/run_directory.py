"""The directories of the records: one for each run, in it a file and a directory for each task."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.core.contracts import RunFile
from pipeline.core.environment import RECORDS_VARIABLE, RUN_VARIABLE
from pipeline.core.files import write_bytes_atomically, write_text_atomically
from pipeline.runners.kubeflow.run_records.task_record import TaskRecord

_SUFFIX = ".json"
_ABANDONED_SECONDS = 30 * 24 * 3600
"""A run without a page may still be at work. After 30 days without a new record, it is not."""


@dataclass(frozen=True)
class RunDirectory:
    """The records of one run."""

    path: Path

    @classmethod
    def of_this_run(cls) -> RunDirectory | None:
        """Returns the directory of the run to which this process belongs.

        None if the pipeline was compiled without the report.
        """
        records, run = os.environ.get(RECORDS_VARIABLE), os.environ.get(RUN_VARIABLE)
        return cls(Path(records) / run) if records and run else None

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.path.name

    @property
    def _tasks(self) -> Path:
        return self.path / "tasks"

    @property
    def changed(self) -> float:
        """When a task of the run last wrote a record, in seconds since the epoch."""
        try:
            return self._tasks.stat().st_mtime
        except OSError:
            return 0.0

    def write(self, record: TaskRecord) -> None:
        """Writes the record of a task, atomically: other pods may read it at any time."""
        self._tasks.mkdir(parents=True, exist_ok=True)
        path = self._tasks / f"{record.node}{_SUFFIX}"
        write_text_atomically(path, record.to_json(), durable=False)

    def read(self) -> dict[str, TaskRecord]:
        """Returns the records by node; a damaged one counts as missing."""
        return dict(self._read_all())

    def _read_all(self) -> Iterator[tuple[str, TaskRecord]]:
        for path in sorted(self._tasks.glob(f"*{_SUFFIX}")):
            try:
                yield path.stem, TaskRecord.from_json(path.read_bytes())
            except (OSError, ValueError):
                continue

    def events(self, node: str) -> Path:
        """Returns the file of the events that a node's process sends."""
        return self._tasks / node / RunFile.EVENTS

    def files(self, node: str, key: str) -> Path:
        """Returns the directory of the copied files of an output artifact."""
        return self._tasks / node / key

    def keep_files(self, node: str, key: str, files: Mapping[str, Path]) -> None:
        """Copies files of an output artifact, by their names in it."""
        directory = self.files(node, key)
        for name, source in files.items():
            directory.mkdir(parents=True, exist_ok=True)
            write_bytes_atomically(directory / name, source.read_bytes(), durable=False)

    def adopt(self, record: TaskRecord, other: RunDirectory) -> TaskRecord:
        """Copies the record and the files of a cached task, and returns the copied record.

        So the files of the other run may be removed.
        """
        if (source := other._tasks / record.node).is_dir():
            shutil.copytree(source, self._tasks / record.node, dirs_exist_ok=True)
        adopted = replace(record, state="cached", seconds=None)
        self.write(adopted)
        return adopted


def list_other_runs(directory: RunDirectory) -> list[RunDirectory]:
    """Returns the runs beside `directory`, the newest first."""
    paths = (path for path in directory.path.parent.glob("*") if path.is_dir())
    others = (RunDirectory(path) for path in paths if path != directory.path)
    return sorted(others, key=lambda run: run.changed, reverse=True)


def sweep_runs(directory: RunDirectory, keep: int) -> None:
    """Removes the records of all runs but this one and the newest others, `keep` in all.

    A run that has no page yet stays, unless no task of it has written a record for 30 days.
    """
    for other in list_other_runs(directory)[keep - 1 :]:
        abandoned = time.time() - other.changed > _ABANDONED_SECONDS
        if abandoned or (other.path / RunFile.REPORT).exists():
            shutil.rmtree(other.path, ignore_errors=True)
