"""Artifacts are marked all at once, and only deleted directories of the workspace are swept."""

import os
from pathlib import Path

import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.runners.workspace.deletion import (
    REMOVED_PREFIX,
    mark_deleted,
    measure,
    remove_logs,
    sweep_deleted,
)


@pytest.fixture
def store(tmp_path: Path) -> MetadataStore:
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(tmp_path / "metadata.db")
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
    return MetadataStore(config)


def publish(store: MetadataStore, directory: Path) -> int:
    directory.mkdir(parents=True, exist_ok=True)
    type_id = store.put_artifact_type(mlmd.ArtifactType(name="Examples"))
    artifact = mlmd.Artifact(type_id=type_id, uri=str(directory), state=mlmd.Artifact.LIVE)
    return int(store.put_artifacts([artifact])[0])


def test_only_marked_artifacts_of_the_own_workspace_are_swept(
    store: MetadataStore, tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "artifacts", tmp_path / "original" / "artifacts"
    places = [ours / "kept", ours / "marked", ours / "shared", theirs / "marked"]
    ids = [publish(store, place) for place in places]
    publish(store, ours / "shared")
    mark_deleted(store, ids[1:])
    states = [a.state for a in store.get_artifacts_by_id(ids)]
    assert states == [mlmd.Artifact.LIVE, *[mlmd.Artifact.DELETED] * 3]
    assert all(place.exists() for place in places)
    sweep_deleted(store, ours)
    # A live artifact has the directory of the third one, too.
    assert [place.exists() for place in places] == [True, False, True, True]


def test_logs_are_removed(tmp_path: Path) -> None:
    (tmp_path / "run" / "report").mkdir(parents=True)
    remove_logs(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    assert REMOVED_PREFIX.startswith(".")


def test_the_size_is_what_the_disk_holds(tmp_path: Path) -> None:
    assert measure(tmp_path / "absent") == 0
    directory = tmp_path / "a"
    (directory / "b").mkdir(parents=True)
    empty = measure(directory)
    (directory / "b" / "file").write_bytes(os.urandom(100_000))
    assert 100_000 <= measure(directory) - empty < 120_000
    (directory / "sparse").touch()
    os.truncate(directory / "sparse", 10**9)
    (directory / "link").symlink_to("/")
    assert measure(directory) - empty < 130_000
