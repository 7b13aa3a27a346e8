"""What a training leaves on the volume when its task ends."""

import json
from pathlib import Path
from types import SimpleNamespace

from pipeline.runners.kubeflow.in_cluster.training_tasks import release_backup
from pipeline.runners.workspace.backups import list_published


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
