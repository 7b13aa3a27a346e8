"""Which artifacts the metadata knows."""

from __future__ import annotations

from pathlib import Path

from recorded_workspace import RecordedWorkspace

from pipeline.runners.workspace.deletion import mark_deleted
from pipeline.runners.workspace.on_store.manifest import name_unit
from pipeline.runners.workspace.on_store.recorded import list_deleted, list_live


def test_live_and_deleted_artifacts_are_told_apart(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    recorded.run(["ExampleGen", "Trainer", "Pusher"])
    model = recorded.latest("Model")
    mark_deleted(recorded.store, [model])
    metadata = recorded.workspace.metadata
    assert list_deleted(metadata) == {name_unit(recorded.uri(model))}
    assert list_live(metadata) == {
        name_unit(recorded.uri(recorded.latest(kind))) for kind in ("Examples", "PushedModel")
    }
