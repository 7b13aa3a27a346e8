"""Damaged artifacts and unfinished executions are cleaned up; all others stay."""

from pathlib import Path

import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.core.contracts import Property
from pipeline.runners.workspace.metadata import sweep_damaged, sweep_unfinished
from pipeline.runners.workspace.seal import seal


@pytest.fixture
def store(tmp_path: Path) -> MetadataStore:
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(tmp_path / "metadata.db")
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
    return MetadataStore(config)


def publish(store: MetadataStore, directory: Path) -> int:
    """Makes an artifact of two files, and returns its id."""
    directory.mkdir(parents=True)
    for name in ("one", "two"):
        (directory / name).write_text(name)
    type_id = store.put_artifact_type(mlmd.ArtifactType(name="Examples"), can_add_fields=True)
    artifact = mlmd.Artifact(type_id=type_id, uri=str(directory), state=mlmd.Artifact.LIVE)
    artifact.custom_properties[Property.FILES].string_value = seal(str(directory))
    (artifact_id,) = store.put_artifacts([artifact])
    return int(artifact_id)


def test_a_damaged_artifact_is_removed_only_from_the_own_output_directory(
    store: MetadataStore, tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "artifacts", tmp_path / "original" / "artifacts"
    places = [ours / "a", ours / "b", theirs / "c"]
    whole, cut, copied = (publish(store, place) for place in places)
    for place in places[1:]:
        (place / "two").unlink()

    sweep_damaged(store, ours)

    states = {a.id: a.state for a in store.get_artifacts()}
    live, deleted = mlmd.Artifact.LIVE, mlmd.Artifact.DELETED
    assert states == {whole: live, cut: deleted, copied: deleted}
    assert [place.exists() for place in places] == [True, False, True]


def test_unfinished_executions_fail_and_their_files_are_removed(
    store: MetadataStore, tmp_path: Path
) -> None:
    type_id = store.put_execution_type(mlmd.ExecutionType(name="Trainer"))
    complete, running, failed = (
        mlmd.Execution.COMPLETE,
        mlmd.Execution.RUNNING,
        mlmd.Execution.FAILED,
    )
    ids = store.put_executions(
        [mlmd.Execution(type_id=type_id, last_known_state=s) for s in (complete, running, failed)]
    )
    for number in ids:
        (tmp_path / f"Trainer/model/{number}").mkdir(parents=True)
        (tmp_path / f"Trainer/.system/executor_execution/{number}/.temp").mkdir(parents=True)

    sweep_unfinished(store, tmp_path)

    assert [e.last_known_state for e in store.get_executions()] == [complete, failed, failed]
    assert [p.name for p in tmp_path.glob("Trainer/model/*")] == [str(ids[0])]
    assert [p.name for p in tmp_path.glob("Trainer/.system/*/*")] == [str(ids[0])]
