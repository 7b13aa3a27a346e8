"""The file of metadata is checked, and its last execution id read, without ML Metadata."""

import sqlite3
from pathlib import Path

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.database import read_last_execution_id


def write_database(path: Path, *statements: str) -> None:
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def test_the_last_id_of_a_new_or_empty_file_is_zero(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    assert read_last_execution_id(path) == 0
    path.touch()
    assert read_last_execution_id(path) == 0
    write_database(path, "CREATE TABLE Other (id INTEGER)")
    assert read_last_execution_id(path) == 0


def test_the_last_id_is_the_highest_one(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    write_database(path, "CREATE TABLE Execution (id INTEGER)")
    assert read_last_execution_id(path) == 0
    write_database(path, "INSERT INTO Execution VALUES (7), (3)")
    assert read_last_execution_id(path) == 7


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    path.write_bytes(b"not a database, but long enough to be read as one" * 100)
    with pytest.raises(ConfigError, match=r"damaged or not writable: file is not a database"):
        read_last_execution_id(path)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a directory"):
        read_last_execution_id(tmp_path)
