"""The directory of predictions is checked before a run, and only checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from object_store import Bucket

from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.prediction_output import check_predictions


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "runs", tmp_path / "runs" / "serving")


@pytest.mark.parametrize("output", ["new", "new/deep", "earlier", "empty", "runs/predictions"])
def test_a_directory_that_can_be_written_is_taken_and_not_made(
    output: str, workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "earlier" / ".prediction").mkdir(parents=True)
    (tmp_path / "earlier" / "a.csv-00000.parquet").touch()
    before = sorted(tmp_path.rglob("*"))
    check_predictions(workspace, str(tmp_path / output))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("runs", "is the output directory of runs"),
        ("shared", r"holds other files, such as 'mine\.txt'"),
        ("shared/mine.txt", r"mine\.txt is no directory"),
        ("shared/mine.txt/new", r"mine\.txt is no directory"),
    ],
)
def test_what_the_predictions_after_the_push_would_fail_on_is_refused(
    output: str, words: str, workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "mine.txt").touch()
    with pytest.raises(ConfigError, match=rf"^prediction\.output:? {tmp_path / output}.*{words}"):
        check_predictions(workspace, str(tmp_path / output))


def test_a_directory_that_cannot_be_written_is_refused(workspace: Workspace) -> None:
    # No user, root included, can make a file there.
    with pytest.raises(ConfigError, match=r"^prediction\.output /proc/self: cannot be written"):
        check_predictions(workspace, "/proc/self/predictions")


def test_an_address_is_checked_and_left_as_it_is(workspace: Workspace, bucket: Bucket) -> None:
    check_predictions(workspace, bucket.url("scored"))
    bucket.put("other/mine.txt", b"")
    with pytest.raises(ConfigError, match=r"^prediction\.output s3://.* holds other objects"):
        check_predictions(workspace, bucket.url("other"))
    found = bucket.client.list_objects_v2(Bucket=bucket.name)["Contents"]
    assert [one["Key"] for one in found] == ["other/mine.txt"]


@pytest.mark.parametrize("output", ["models", "models/taxi", "models/taxi/scored"])
def test_an_address_among_the_pushed_models_is_refused(
    output: str, workspace: Workspace, bucket: Bucket
) -> None:
    pushing = replace(workspace, store=bucket.url("models/taxi"))
    with pytest.raises(ConfigError, match=r"lies in serving\.directory .*, or holds it"):
        check_predictions(pushing, bucket.url(output))
    check_predictions(pushing, bucket.url("models/scored"))


def test_an_address_among_the_files_of_runs_is_refused(
    workspace: Workspace, bucket: Bucket
) -> None:
    stored = replace(workspace, address=bucket.url("runs/taxi"))
    with pytest.raises(ConfigError, match=r"lies in --output .*, or holds it"):
        check_predictions(stored, bucket.url("runs/taxi/logs"))
    check_predictions(stored, bucket.url("runs/scored"))
