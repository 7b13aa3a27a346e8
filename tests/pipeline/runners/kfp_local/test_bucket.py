"""The object store and the staging directory."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pipeline import MAKE_TASK, READ_ROWS, READ_TASK, execute, make, read

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.bucket import Bucket, staged_path


def test_a_task_cannot_change_an_input_for_other_tasks(tmp_path: Path) -> None:
    spoil = "path(inputs['artifacts'], 'table').joinpath('rows.txt').write_text('spoilt')\n"
    components = {"make": make(), "spoil": read(spoil), "read": read(READ_ROWS)}
    tasks = {"make": MAKE_TASK, "spoil": READ_TASK, "read": READ_TASK}
    tasks["read"] = {**READ_TASK, "dependentTasks": ["spoil"]}
    outcomes = execute(tmp_path, components, tasks)
    assert Path(outcomes["read"].log).read_text() == "abc\n"


def test_a_stored_output_does_not_change_with_a_linked_file(tmp_path: Path) -> None:
    """The file on the task's volume is linked, not copied, to the output."""
    mine, seen = tmp_path / "mine.txt", tmp_path / "seen.txt"
    linked = f"""
import shutil
mine, seen = pathlib.Path({str(mine)!r}), pathlib.Path({str(seen)!r})
mine.write_text("abc")
seen.write_text("abc")
folder = path(outputs["artifacts"], "table")
folder.mkdir(parents=True)
os.link(mine, folder / "rows.txt")
os.symlink(seen, folder / "more.txt")
pathlib.Path(outputs["parameters"]["size"]["outputFile"]).write_text("3")
"""
    change = f"pathlib.Path({str(mine)!r}).write_text('x'); pathlib.Path({str(seen)!r}).unlink()\n"
    components = {"make": make(linked), "read": read(change + READ_ROWS)}
    outcomes = execute(tmp_path, components, {"make": MAKE_TASK, "read": READ_TASK})
    assert Path(outcomes["read"].log).read_text() == "abc\nabc\n"


def test_files_are_uploaded_without_empty_directories_and_downloaded(tmp_path: Path) -> None:
    bucket, here, there = Bucket(tmp_path / "buckets"), tmp_path / "here", tmp_path / "there"
    written = staged_path("gs://b/table", here)
    (written / "empty").mkdir(parents=True)
    (written / "rows.txt").write_text("abc")
    bucket.upload("gs://b/table", here)
    bucket.upload("gs://b/nothing", here)
    bucket.download("gs://b/table", there)
    bucket.download("gs://b/nothing", there)
    found = [str(path.relative_to(there)) for path in there.rglob("*") if not path.is_dir()]
    assert found == ["gcs/b/table/rows.txt"]
    assert not (there / "gcs/b/table/empty").exists()


@pytest.mark.parametrize("uri", ["/data/x", "hdfs://b/x", "s3://", ""])
def test_a_uri_without_an_object_store_is_refused(uri: str) -> None:
    with pytest.raises(ConfigError, match="gs://, minio:// or s3://"):
        staged_path(uri, Path("/"))
