"""A run of ML Metadata is found for each directory of logs, also for those of earlier versions."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd

from pipeline.core.contracts import RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import PipelineStarted, emit
from pipeline.runners.history.run_ids import find_run_id, match_runs
from pipeline.runners.workspace.places import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, tmp_path / "serving")


def make_run(workspace: Workspace, name: str, summary: object = None) -> Path:
    directory = workspace.logs / name
    directory.mkdir(parents=True)
    if summary is not None:
        (directory / RunFile.SUMMARY).write_text(json.dumps(summary))
    return directory


def put_runs(workspace: Workspace, run_ids: Sequence[str]) -> None:
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(workspace.metadata)
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
    store = MetadataStore(config)
    type_id = store.put_context_type(mlmd.ContextType(name="pipeline_run"))
    store.put_contexts([mlmd.Context(type_id=type_id, name=name) for name in run_ids])


def test_a_run_without_metadata_has_no_id(workspace: Workspace) -> None:
    make_run(workspace, "20260301-040000-000000", {"run_id": "2026-03-01T04:00:05.000000"})
    assert find_run_id(workspace, "20260301-040000-000000") is None


def test_the_noted_id_is_found_in_the_metadata(workspace: Workspace) -> None:
    put_runs(workspace, ["2026-03-01T04:00:05.000000"])
    # The clock was set back between the start of the command and the start of the DAG.
    make_run(workspace, "20260301-050000-000000", {"run_id": "2026-03-01T04:00:05.000000"})
    make_run(workspace, "20260301-060000-000000", {"run_id": "2026-03-01T06:00:05.000000"})
    assert find_run_id(workspace, "20260301-050000-000000") == "2026-03-01T04:00:05.000000"
    assert find_run_id(workspace, "20260301-060000-000000") is None
    assert find_run_id(workspace, "absent") is None


def test_the_id_of_a_killed_run_is_in_its_events(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = make_run(workspace, "20260301-040000-000000")
    monkeypatch.setenv(EVENTS_VARIABLE, str(directory / RunFile.EVENTS))
    emit(PipelineStarted(("Trainer",), "chosen"))
    assert match_runs(workspace, ["chosen"]) == {directory.name: "chosen"}


def test_runs_of_earlier_versions_are_found_by_their_times(workspace: Workspace) -> None:
    first, second, third = (f"20260301-0{hour}0000-000000" for hour in (4, 5, 6))
    make_run(workspace, first, {"status": "pushed"})
    make_run(workspace, second)  # Refused before its first component.
    make_run(workspace, third, [])
    make_run(workspace, "by-hand")
    ids = ["2026-03-01T03:59:59", "2026-03-01T04:00:05.1", "2026-03-01T06:00:05", "on-kubeflow"]
    ids[1] += "00000"
    assert match_runs(workspace, ids) == {first: ids[1], third: ids[2]}
