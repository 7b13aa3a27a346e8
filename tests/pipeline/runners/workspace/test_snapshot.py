"""Metadata is read while a run writes them, after a kill, and from damaged files."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.snapshot import open_snapshot


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A metadata file with one execution."""
    path = tmp_path / "metadata.db"
    put_execution(open_store(path))
    return path


def open_store(path: Path) -> MetadataStore:
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(path)
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
    return MetadataStore(config)


def put_execution(store: MetadataStore) -> None:
    type_id = store.put_execution_type(mlmd.ExecutionType(name="Trainer"))
    store.put_executions([mlmd.Execution(type_id=type_id)])


def count_executions(path: Path) -> int:
    with open_snapshot(path) as store:
        assert store
        return len(store.get_executions())


def test_a_missing_or_empty_file_has_no_metadata(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for name in ("absent", "empty"):
        with open_snapshot(tmp_path / name) as store:
            assert store is None


def test_changes_of_the_snapshot_do_not_reach_the_file(path: Path) -> None:
    before = path.read_bytes()
    with open_snapshot(path) as store:
        put_execution(store)
        assert len(store.get_executions()) == 2
    assert path.read_bytes() == before


def test_readers_and_a_writer_do_not_fail_each_other(path: Path) -> None:
    store, counts = open_store(path), []
    with closing_thread(lambda: counts.append(count_executions(path))):
        # Until the reader has read during writes: its first read can take as long as 60 writes.
        written = 1
        while written < 61 or len(counts) < 3:
            put_execution(store)
            written += 1
    assert count_executions(path) == written
    assert counts == sorted(counts)


@contextlib.contextmanager
def closing_thread(act: object) -> Iterator[None]:
    """Repeats `act` in a thread as long as the `with` statement lasts."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set():
            act()  # type: ignore[operator]

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


KILLED_WRITER = """
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN")
database.execute("CREATE TABLE Large (text)")
for _ in range(500):
    database.execute("INSERT INTO Large VALUES (?)", ("x" * 5000,))
database.execute("DELETE FROM Execution")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_transaction_of_a_killed_run_does_not_count(path: Path) -> None:
    writer = subprocess.run([sys.executable, "-c", KILLED_WRITER, path], check=False)
    assert writer.returncode == -signal.SIGKILL
    journal = path.with_name(f"{path.name}-journal")
    assert journal.exists()
    files = path.read_bytes(), journal.read_bytes()
    assert count_executions(path) == 1
    # The next run rolls back, no reader.
    assert (path.read_bytes(), journal.read_bytes()) == files


def test_a_damaged_file_is_named(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(ConfigError, match=r"metadata\.db: damaged: file is not a database"):
        count_executions(path)


def test_a_file_of_a_newer_version_is_named(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE MLMDEnv SET schema_version = 999")
        database.commit()
    with pytest.raises(ConfigError, match="cannot be read"):
        count_executions(path)


def test_a_file_that_this_user_cannot_write_is_read(path: Path) -> None:
    path.chmod(0o400)
    os.chmod(path.parent, 0o500)
    assert count_executions(path) == 1
    os.chmod(path.parent, 0o700)
