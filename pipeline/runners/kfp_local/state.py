"""What outlives a run, as ML Metadata and the cache do on a cluster: artifacts by number, and what
each cached execution gave."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.core.errors import ConfigError

_TABLES = """
CREATE TABLE IF NOT EXISTS artifacts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uri TEXT NOT NULL, metadata TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS executions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pipeline TEXT NOT NULL, fingerprint TEXT NOT NULL,
    artifacts TEXT NOT NULL, parameters TEXT NOT NULL
);
"""


@dataclass(frozen=True)
class Outputs:
    """What an execution gave."""

    artifacts: Mapping[str, int]
    """By the output's name, the artifact's number."""
    parameters: Mapping[str, Any]


class State:
    """A database in the directory of the runs.

    Everything here raises ConfigError if the database is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._explained_errors():
            self._database = sqlite3.connect(path)
            self._database.executescript(_TABLES)
            [(found,)] = self._database.execute("PRAGMA quick_check(1)")
            if found != "ok":
                raise sqlite3.DatabaseError(found)

    def add_artifact(self, uri: str, metadata: Mapping[str, Any]) -> int:
        """Registers an artifact under a new number."""
        row = (uri, json.dumps(dict(metadata)))
        with self._explained_errors(), self._database as database:
            cursor = database.execute("INSERT INTO artifacts (uri, metadata) VALUES (?, ?)", row)
        number = cursor.lastrowid
        assert number is not None
        return number

    def artifact(self, number: int) -> dict[str, Any]:
        """The artifact as a task is given it: its number is its name, its type is not known."""
        query = "SELECT uri, metadata FROM artifacts WHERE id = ?"
        with self._explained_errors():
            [(uri, metadata)] = self._database.execute(query, (number,))
            return {
                "name": str(number),
                "type": {"instanceSchema": ""},
                "uri": uri,
                "metadata": json.loads(metadata),
            }

    def add_execution(self, pipeline: str, fingerprint: str, outputs: Outputs) -> None:
        """Makes an execution one that others with its fingerprint are not run for."""
        row = (pipeline, fingerprint, *map(json.dumps, (outputs.artifacts, outputs.parameters)))
        with self._explained_errors(), self._database as database:
            database.execute(
                "INSERT INTO executions (pipeline, fingerprint, artifacts, parameters)"
                " VALUES (?, ?, ?, ?)",
                row,
            )

    def cached(self, pipeline: str, fingerprint: str) -> Outputs | None:
        """What the last execution with this fingerprint gave; its artifacts keep their numbers."""
        with self._explained_errors():
            row = self._database.execute(
                "SELECT artifacts, parameters FROM executions"
                " WHERE pipeline = ? AND fingerprint = ? ORDER BY id DESC LIMIT 1",
                (pipeline, fingerprint),
            ).fetchone()
            return Outputs(*map(json.loads, row)) if row else None

    @contextlib.contextmanager
    def _explained_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError) as error:
            raise ConfigError(
                f"--directory: {self._path} cannot be used: {error}",
                "remove it, and all tasks run again; or name another directory",
            ) from None
