"""The file of metadata is checked, opened for reading, and its last execution id read."""

import errno
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.database import open_metadata, read_last_execution_id


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
    with pytest.raises(ConfigError, match=r"damaged: file is not a database") as caught:
        read_last_execution_id(path)
    assert "move it away" in caught.value.hint


@pytest.mark.parametrize("read", [read_last_execution_id, open_metadata])
def test_a_file_that_another_program_uses_is_not_to_be_moved_away(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "metadata.db"
    write_database(path, "CREATE TABLE Execution (id INTEGER)")
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ConfigError, match="database is locked") as caught:
        read(path)
    other.close()
    assert "move" not in caught.value.hint


@pytest.mark.parametrize("read", [read_last_execution_id, open_metadata])
@pytest.mark.parametrize(
    "problem", ["attempt to write a readonly database", "unable to open database file"]
)
def test_a_read_only_disk_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object], problem: str
) -> None:
    path = tmp_path / "metadata.db"
    write_database(path, "CREATE TABLE Execution (id INTEGER)")
    monkeypatch.setattr(sqlite3, "connect", raise_error(problem))
    with pytest.raises(ConfigError, match=problem) as caught:
        read(path)
    assert "move" not in caught.value.hint
    assert "check its permissions and its disk" in caught.value.hint


@pytest.mark.parametrize("read", [read_last_execution_id, open_metadata])
def test_a_full_disk_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "metadata.db"
    write_database(path, "CREATE TABLE Execution (id INTEGER)")
    monkeypatch.setattr(sqlite3, "connect", raise_error("database or disk is full"))
    with pytest.raises(OSError, match="No space left") as caught:
        read(path)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))


def raise_error(message: str) -> Callable[[Path], sqlite3.Connection]:
    def connect(_: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError(message)

    return connect


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a directory"):
        read_last_execution_id(tmp_path)


def test_metadata_without_executions_counts_as_none(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    assert open_metadata(path) is None
    write_database(path, "CREATE TABLE Other (id INTEGER)")
    assert open_metadata(path) is None


def test_metadata_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    path.write_bytes(b"not a database, but long enough to be read as one" * 100)
    with pytest.raises(ConfigError, match=r"damaged: file is not a database") as caught:
        open_metadata(path)
    assert "move it away" in caught.value.hint
    path.unlink()
    write_database(path, "CREATE TABLE Execution (id INTEGER)")
    with pytest.raises(ConfigError, match=r"metadata\.db: cannot be read: "):
        open_metadata(path)


def test_metadata_is_opened_while_a_run_writes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(path)
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
    MetadataStore(config).put_context_type(mlmd.ContextType(name="pipeline_run"))
    with sqlite3.connect(path) as database:
        database.execute("BEGIN IMMEDIATE")
        store = open_metadata(path)
    assert store is not None
    assert store.get_contexts_by_type("pipeline_run") == []
