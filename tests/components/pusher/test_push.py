"""A version is visible complete or not at all."""

import dataclasses
import os
from pathlib import Path

import pytest
from tfx.dsl.io.fileio import NotFoundError

from components.file_sizes import file_sizes
from components.pusher.push import confirm, prune_versions, push_version, take_back, versions
from components.served_model.pointer import read_pointer, write_pointer
from components.served_model.record import ServedRecord


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    (path / "variables").mkdir(parents=True)
    (path / "saved_model.pb").write_text("graph")
    (path / "variables" / "variables.index").write_text("weights")
    return path


def record(version: str) -> ServedRecord:
    return ServedRecord(version, "m", "e", "s", "c", "{}", "d", "r")


def test_a_push_is_a_whole_copy_under_a_rising_number(model: Path, tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    first = push_version(str(model), str(serving))
    confirm(str(serving))
    second = push_version(str(model), str(serving))
    confirm(str(serving))
    assert int(second) > int(first)
    assert sorted(p.name for p in serving.iterdir()) == [first, second]
    assert (serving / second / "variables" / "variables.index").read_text() == "weights"


def test_a_failed_copy_leaves_nothing(model: Path, tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    (model / "variables" / "gone").symlink_to(tmp_path / "absent")
    with pytest.raises(NotFoundError):
        push_version(str(model), str(serving))
    assert list(serving.iterdir()) == []


def test_what_a_killed_push_left_is_removed(model: Path, tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    (serving / ".staged-killed").mkdir(parents=True)
    (serving / "served.json.killed").touch()
    version = push_version(str(model), str(serving))
    confirm(str(serving))
    assert [p.name for p in serving.iterdir()] == [version]


def test_a_version_that_was_never_named_is_taken_back(model: Path, tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    named = push_version(str(model), str(serving))
    write_pointer(str(serving), record(named))
    # Killed before `confirm`: but the pointer names it.
    take_back(str(serving))
    assert versions(str(serving)) == [named]
    push_version(str(model), str(serving))
    take_back(str(serving))
    assert sorted(p.name for p in serving.iterdir()) == [named, "served.json"]


def test_nothing_to_take_back(tmp_path: Path) -> None:
    take_back(str(tmp_path / "absent"))
    assert not (tmp_path / "absent").exists()


def test_old_versions_go_but_never_the_served_one(tmp_path: Path) -> None:
    for version in ("1", "2", "3", "4", "10"):
        (tmp_path / version).mkdir()
    (tmp_path / "served.json").touch()
    prune_versions(str(tmp_path), keep=2, served="1")
    assert versions(str(tmp_path)) == ["1", "4", "10"]


def test_the_pointer_is_replaced_as_a_whole(tmp_path: Path) -> None:
    serving = str(tmp_path)
    assert read_pointer(serving) is None
    for version in ("1", "2"):
        os.mkdir(tmp_path / version)
        write_pointer(serving, record(version))
        assert read_pointer(serving) == record(version)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "2", "served.json"]


def test_a_version_of_which_a_file_was_lost_or_cut_is_not_served(tmp_path: Path) -> None:
    serving = str(tmp_path)
    model = tmp_path / "1" / "variables" / "index"
    model.parent.mkdir(parents=True)
    model.write_text("four")
    whole = dataclasses.replace(record("1"), files=file_sizes(str(tmp_path / "1")))
    assert whole.files == {"variables/index": 4}
    write_pointer(serving, whole)
    assert read_pointer(serving) == whole
    model.write_text("fo")
    assert read_pointer(serving) is None
    model.unlink()
    assert read_pointer(serving) is None


def test_a_version_removed_by_hand_is_not_served(tmp_path: Path) -> None:
    write_pointer(str(tmp_path), record("7"))
    assert read_pointer(str(tmp_path)) is None
