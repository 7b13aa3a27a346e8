"""Records that a full disk left half written are removed; whole ones stay as they are."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.runners.workspace import half_written
from pipeline.runners.workspace.database import open_metadata, read_last_execution_id
from pipeline.runners.workspace.metadata import get_outputs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metadata.db"


def open_store(path: Path) -> MetadataStore:
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(path)
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
    return MetadataStore(config)


def run_component(store: MetadataStore, name: str) -> tuple[int, int]:
    """Records an execution with an output, and returns the ids of both."""
    kinds = (
        store.put_artifact_type(mlmd.ArtifactType(name="Model")),
        store.put_execution_type(mlmd.ExecutionType(name="Trainer")),
        store.put_context_type(mlmd.ContextType(name="run")),
    )
    artifact = mlmd.Artifact(type_id=kinds[0], uri=name)
    artifact.custom_properties["name"].string_value = name
    event = mlmd.Event(type=mlmd.Event.OUTPUT)
    event.path.steps.add().key = "model"
    execution, [made], _ = store.put_execution(
        mlmd.Execution(type_id=kinds[1]),
        [(artifact, event)],
        [mlmd.Context(type_id=kinds[2], name=name)],
    )
    return execution, made


def execute(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


def remove_half_written(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return half_written.remove_half_written(database)


def dump(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


def test_an_artifact_belongs_to_no_execution_whose_own_output_was_given_up(path: Path) -> None:
    store = open_store(path)
    failed, lost = run_component(store, "first")
    execute(path, f"DELETE FROM Artifact WHERE id = {lost}")
    # A transaction that is given up takes the id back, too.
    execute(path, "UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'Artifact'")
    assert get_outputs(store, mlmd.Execution(id=failed)) == {}
    # The event with its path, the artifact's property, and its place in the context.
    assert remove_half_written(path) == 4
    execution, artifact = run_component(store, "second")
    assert artifact == lost
    [event] = store.get_events_by_artifact_ids([artifact])
    assert event.execution_id == execution
    [context] = store.get_contexts_by_artifact(artifact)
    assert context.name == "second"
    assert [a.uri for a in get_outputs(store, mlmd.Execution(id=execution)).values()] == ["second"]


def test_whole_records_stay(path: Path) -> None:
    store = open_store(path)
    for name in ("first", "second"):
        run_component(store, name)
    before = dump(path)
    assert remove_half_written(path) == 0
    assert dump(path) == before


def test_a_file_without_half_records_is_not_written(path: Path) -> None:
    run_component(open_store(path), "first")
    before = path.stat().st_mtime_ns
    assert remove_half_written(path) == 0
    assert path.stat().st_mtime_ns == before


def test_commands_that_open_the_metadata_see_no_half_records(path: Path) -> None:
    _, lost = run_component(open_store(path), "first")
    execute(path, f"DELETE FROM Artifact WHERE id = {lost}")
    store = open_metadata(path)
    assert store is not None
    assert store.get_events_by_artifact_ids([lost]) == []


def test_a_run_begins_without_half_records(path: Path) -> None:
    store = open_store(path)
    execution, lost = run_component(store, "first")
    execute(path, f"DELETE FROM Artifact WHERE id = {lost}")
    assert read_last_execution_id(path) == execution
    assert store.get_events_by_artifact_ids([lost]) == []


def test_a_file_without_metadata_has_nothing_half_written(path: Path) -> None:
    path.touch()
    assert remove_half_written(path) == 0
    assert not dump(path)[1:-1]
