"""The warning that another table has used the output directory."""

import json
from pathlib import Path

import pytest

from pipeline.core.contracts import ArtifactFile, RunFile


@pytest.fixture
def record_run(tmp_path):
    """Leaves the record of a run of `runs/trees` that read `file`."""

    def record(file, log="20260101-000000-000000"):
        logs = tmp_path / "runs" / "trees" / "logs" / log
        logs.mkdir(parents=True)
        content = {"directory": str(tmp_path), "data_files": [{"path": file, "bytes": 1}]}
        (logs / RunFile.RECORD).write_text(json.dumps(content))

    return record


def serve(root: Path):
    (root / "serving").mkdir()
    (root / "serving" / ArtifactFile.SERVED_RECORD).touch()


def test_another_table_with_the_same_name_is_said_with_what_to_do(
    propose, signal, record_run, tmp_path
):
    record_run("trees.parquet")
    serve(tmp_path / "runs" / "trees")
    (warning,) = propose(signal(), file="trees.csv").warnings
    assert warning.startswith("runs/trees has runs of another table")
    assert "trees.parquet" in warning
    assert "may replace" in warning
    assert "set another `name`" in warning


def test_only_a_served_model_is_said_to_be_replaced(propose, signal, record_run):
    record_run("trees.parquet")
    (warning,) = propose(signal(), file="trees.csv").warnings
    assert "replace" not in warning


def test_the_newest_run_of_the_same_table_gives_no_warning(propose, signal, record_run):
    record_run("trees.parquet")
    record_run("trees.csv", log="20260102-000000-000000")
    assert propose(signal(), file="trees.csv").warnings == ()


def test_a_damaged_record_gives_no_warning(propose, signal, record_run, tmp_path):
    record_run("trees.parquet")
    for record in tmp_path.glob(f"runs/trees/logs/*/{RunFile.RECORD}"):
        record.write_text('{"directory": ')
    assert propose(signal(), file="trees.csv").warnings == ()
