"""The file in which a task names its output artifacts."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.runners.kubeflow.in_cluster.outputs import write_executor_output


def test_output_artifacts_have_store_uris_and_no_nulls(tmp_path: Path) -> None:
    """Reason 9: the file is whole before the process may abort."""
    path = tmp_path / "a/new/folder/output_metadata.json"
    model = {"uri": "/s3/b/model", "metadata": {"source": "/gcs/b/t", "version": None, "n": 0}}
    write_executor_output(str(path), {"model": model})
    assert json.loads(path.read_text()) == {
        "artifacts": {
            "model": {
                "artifacts": [{"uri": "s3://b/model", "metadata": {"source": "gs://b/t", "n": 0}}]
            }
        }
    }
    assert list(path.parent.iterdir()) == [path]
