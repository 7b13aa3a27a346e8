"""The store of artifacts and cached executions, in place of a cluster's ML Metadata and cache.

The store outlives a run. Each artifact has a number.
"""

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
    """The outputs of an execution."""

    artifacts: Mapping[str, int]
    """The number of each artifact, by the output's name."""
    parameters: Mapping[str, Any]


class State:
    """The SQLite database of the store. Every method raises ConfigError if the file is damaged."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._explain_errors():
            self._database = sqlite3.connect(path)
            self._database.executescript(_TABLES)
            [(result,)] = self._database.execute("PRAGMA quick_check(1)")
            if result != "ok":
                raise sqlite3.DatabaseError(result)

    def add_artifact(self, uri: str, metadata: Mapping[str, Any]) -> int:
        """Adds an artifact and returns its new number."""
        row = (uri, json.dumps(dict(metadata)))
        with self._explain_errors(), self._database as database:
            cursor = database.execute("INSERT INTO artifacts (uri, metadata) VALUES (?, ?)", row)
        number = cursor.lastrowid
        assert number is not None
        return number

    def artifact(self, number: int) -> dict[str, Any]:
        """Returns the artifact as a task receives it: named by its number, with an empty type."""
        query = "SELECT uri, metadata FROM artifacts WHERE id = ?"
        with self._explain_errors():
            [(uri, metadata)] = self._database.execute(query, (number,))
            return {
                "name": str(number),
                "type": {"instanceSchema": ""},
                "uri": uri,
                "metadata": json.loads(metadata),
            }

    def add_execution(self, pipeline: str, fingerprint: str, outputs: Outputs) -> None:
        """Adds an execution to the cache."""
        row = (pipeline, fingerprint, *map(json.dumps, (outputs.artifacts, outputs.parameters)))
        with self._explain_errors(), self._database as database:
            database.execute(
                "INSERT INTO executions (pipeline, fingerprint, artifacts, parameters)"
                " VALUES (?, ?, ?, ?)",
                row,
            )

    def find_cached(self, pipeline: str, fingerprint: str) -> Outputs | None:
        """Returns the outputs of the last execution with this cache key; None if there is none.

        The outputs keep their artifact numbers.
        """
        with self._explain_errors():
            row = self._database.execute(
                "SELECT artifacts, parameters FROM executions"
                " WHERE pipeline = ? AND fingerprint = ? ORDER BY id DESC LIMIT 1",
                (pipeline, fingerprint),
            ).fetchone()
            return Outputs(*map(json.loads, row)) if row else None

    @contextlib.contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError) as error:
            raise ConfigError(
                f"--directory: {self._path} cannot be used: {error}",
                "remove it, and all tasks run again; or name another directory",
            ) from None
