"""What a training leaves on the volume when its task ends."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.core.events import EventReader, TrainingProgress, emit
from pipeline.runners.kubeflow.in_cluster.training_tasks import progress_in_log, release_backup
from pipeline.runners.workspace.backups import list_published


def test_events_stay_with_the_records_and_each_attempt_shows_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIPELINE_RECORDS", str(tmp_path))
    monkeypatch.setenv("PIPELINE_RUN_ID", "run-1")
    monkeypatch.setenv("PIPELINE_EVENTS", "")
    logs = []
    for epoch in (1, 2):
        with progress_in_log("Trainer"):
            assert emit(TrainingProgress(epoch, 2, 5, 5, 0.5, 0.4, 100.0))
        logs.append(capsys.readouterr().out)
    assert ["epoch 1 of 2" in log for log in logs] == [True, False]
    assert ["epoch 2 of 2" in log for log in logs] == [False, True]
    kept = EventReader(tmp_path / "run-1/tasks/Trainer/events.jsonl").read()
    assert [envelope.event.epoch for envelope in kept] == [1, 2]


def test_events_that_the_volume_does_not_take_are_still_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs").touch()
    monkeypatch.setenv("PIPELINE_RECORDS", str(tmp_path / "runs"))
    monkeypatch.setenv("PIPELINE_RUN_ID", "run-1")
    monkeypatch.setenv("PIPELINE_EVENTS", "")
    with progress_in_log("Trainer"):
        assert emit(TrainingProgress(1, 2, 5, 5, 0.5, 0.4, 100.0))
    assert "epoch 1 of 2" in capsys.readouterr().out


def test_a_backup_is_there_for_a_retry_whose_upload_failed(tmp_path: Path) -> None:
    """The launcher uploads after the task's process has ended."""
    checkpoint = tmp_path / "backups/key/checkpoint"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.touch()
    (tmp_path / "history.json").write_text(json.dumps({"backup": "key"}))
    properties = {"custom_config": json.dumps({"backup_directory": str(tmp_path / "backups")})}
    for _attempt in range(2):
        release_backup("Trainer", properties, {"model_run": [SimpleNamespace(uri=str(tmp_path))]})
        assert checkpoint.exists()
    assert list_published(tmp_path / "backups") == ["key"]
