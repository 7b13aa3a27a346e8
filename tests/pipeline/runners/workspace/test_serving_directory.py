"""A serving directory holds versions and nothing of others."""

from pathlib import Path

import pytest
from object_store import Bucket

from components.served_model.store.local_copy import LocalCopy
from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.serving_directory import (
    check_serving,
    check_serving_store,
    open_serving_copy,
    refuse_foreign,
)


@pytest.mark.parametrize("directory", ["/", "/etc", "/usr", "/dev"])
def test_a_directory_of_the_system_is_refused_and_not_written_to(
    tmp_path: Path, directory: str
) -> None:
    place = Path(directory)
    before = sorted(place.iterdir())
    with (
        pytest.raises(ConfigError, match=f"^serving.directory: {directory} holds other files"),
        Workspace(tmp_path, place).lock(),
    ):
        raise AssertionError("locked")
    assert sorted(place.iterdir()) == before


def test_a_directory_with_files_of_others_is_refused_before_the_first_push(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(ConfigError, match=r"such as 'thesis\.txt'") as caught:
        refuse_foreign(tmp_path)
    assert f"serving.directory={tmp_path}/models" in caught.value.hint
    # A pipeline pushed here before, and somebody added a file for the model server.
    (tmp_path / "served.json").write_text("{}")
    refuse_foreign(tmp_path)


def test_what_pushes_and_file_systems_leave_is_no_file_of_others(tmp_path: Path) -> None:
    refuse_foreign(tmp_path / "new")
    for name in ("1700000000", "lost+found", ".reference", ".staged-1"):
        (tmp_path / name).mkdir()
    own = (".lock", ".push.lock", ".pending", ".push_history.json", ".served.json.1f2e.part")
    for name in own:
        (tmp_path / name).touch()
    refuse_foreign(tmp_path)


def test_serving_and_output_directory_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with Workspace(tmp_path, tmp_path).lock():
        pass


def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"^serving\.directory .* cannot be written"):
        check_serving(tmp_path / "file" / "models")


def test_a_run_makes_the_copy_of_a_directory_on_a_store(tmp_path: Path, bucket: Bucket) -> None:
    address = bucket.url("models/taxi")
    check_serving_store(tmp_path / "copy", address)
    copy = LocalCopy.find(str(tmp_path / "copy"))
    assert copy is not None
    assert copy.read_seen() is not None
    bucket.put("photos/1.jpg", b"")
    with pytest.raises(ConfigError, match="holds other objects"):
        check_serving_store(tmp_path / "photos", bucket.url("photos"))


def test_a_directory_of_this_machine_has_no_store(tmp_path: Path) -> None:
    open_serving_copy(tmp_path)
    assert [*tmp_path.iterdir()] == []
