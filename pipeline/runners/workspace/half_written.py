"""Removes what a change of the metadata left that was only half written.

Where the disk is full, SQLite gives up a whole transaction. ML Metadata does not notice, and goes
on: its next statements are then kept, though what they refer to was given up. SQLite gives the ids
that are free again to the next artifacts, and an artifact would count as one of another execution.
"""

from __future__ import annotations

import sqlite3

_REFERENCES = {
    "Event": {"artifact_id": "Artifact", "execution_id": "Execution"},
    "EventPath": {"event_id": "Event"},
    "Attribution": {"context_id": "Context", "artifact_id": "Artifact"},
    "Association": {"context_id": "Context", "execution_id": "Execution"},
    "ParentContext": {"context_id": "Context", "parent_context_id": "Context"},
    "ArtifactProperty": {"artifact_id": "Artifact"},
    "ExecutionProperty": {"execution_id": "Execution"},
    "ContextProperty": {"context_id": "Context"},
}
"""The tables whose rows refer to others: column, and the table that has the id. `EventPath` comes
after `Event`, whose rows may go."""


def remove_half_written(database: sqlite3.Connection) -> int:
    """Removes the rows that refer to rows which do not exist, and returns how many these were.

    Raises:
      sqlite3.DatabaseError: the file cannot be read or written.
    """
    with database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in names}
        return sum(
            _remove(database, f"{table} WHERE {column} NOT IN (SELECT id FROM {other})")
            for table, references in _REFERENCES.items()
            for column, other in references.items()
            if {table, other} <= tables
        )


def _remove(database: sqlite3.Connection, rows: str) -> int:
    # Nothing is written without need: the file may be read-only, or its disk full.
    if database.execute(f"SELECT 1 FROM {rows} LIMIT 1").fetchone() is None:
        return 0
    return database.execute(f"DELETE FROM {rows}").rowcount
