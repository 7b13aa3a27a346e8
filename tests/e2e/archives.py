"""Unpacks the archived workspaces of earlier versions, at any place."""

import json
import os
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

from support import Project

ARCHIVES = sorted((Path(__file__).parent / "earlier_workspaces").glob("*.tar.gz"))
RECORDED = "/home/user/shop"
"""The directory in which every archived workspace was made."""


def unpack(archive: Path, directory: Path) -> Project:
    with tarfile.open(archive) as file:
        file.extractall(directory)
    home = directory / "shop"
    for path in home.rglob("*"):
        if path.suffix in (".json", ".jsonl", ".yaml"):
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(RECORDED, str(home)), encoding="utf-8")
    with closing(sqlite3.connect(home / "out" / "metadata.db")) as database:
        move_metadata(database, home)
    return Project(home)


def move_metadata(database: sqlite3.Connection, home: Path) -> None:
    """Writes `home` in place of the recorded directory, and the sizes of the rewritten files."""
    for table, column in (
        ("Artifact", "uri"),
        ("ArtifactProperty", "string_value"),
        ("ExecutionProperty", "string_value"),
    ):
        database.execute(
            f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (RECORDED, str(home))
        )
    for number, uri in database.execute("SELECT id, uri FROM Artifact").fetchall():
        files = [Path(parent, n) for parent, _, names in os.walk(uri) for n in names]
        sizes = {str(path.relative_to(uri)): path.stat().st_size for path in files}
        database.execute(
            "UPDATE ArtifactProperty SET string_value = ? WHERE artifact_id = ? AND name = 'files'",
            (json.dumps(sizes, sort_keys=True), number),
        )
    database.commit()
