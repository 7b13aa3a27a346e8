"""A version is visible complete or not at all."""

import dataclasses
import os
from pathlib import Path

import pytest
from tfx.dsl.io.fileio import NotFoundError

from components.pusher.push import (
    confirm_push,
    list_versions,
    prune_versions,
    push_version,
    remove_unfinished_push,
)
from components.served_model.pointer import read_pointer, write_pointer
from components.served_model.served_record import ServedRecord
from pipeline.core.files import file_sizes, staged_name


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    (path / "variables").mkdir(parents=True)
    (path / "saved_model.pb").write_text("graph")
    (path / "variables" / "variables.index").write_text("weights")
    return path


@pytest.fixture
def reference(tmp_path: Path) -> dict[str, str]:
    """What goes with a model, as artifacts have it."""
    directories = {name: tmp_path / name for name in ("schema", "statistics")}
    for name, path in directories.items():
        (path / "Split-train").mkdir(parents=True)
        (path / "Split-train" / "file").write_text(name)
    return {name: str(path) for name, path in directories.items()}


def record(version: str) -> ServedRecord:
    return ServedRecord(version, "m", "e", "s", "c", "{}", "d", "r")


def directory(tmp_path: Path) -> Path:
    """An empty serving directory."""
    path = tmp_path / "serving"
    path.mkdir()
    return path


def below(serving: Path) -> list[str]:
    """All but the references."""
    return sorted(p.name for p in serving.iterdir() if p.name != ".reference")


def test_a_push_is_a_whole_copy_under_a_rising_number(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = directory(tmp_path)
    first = push_version(str(model), reference, str(serving))
    confirm_push(str(serving))
    second = push_version(str(model), reference, str(serving))
    confirm_push(str(serving))
    assert int(second) > int(first)
    assert below(serving) == [first, second]
    assert (serving / second / "variables" / "variables.index").read_text() == "weights"
    served = record(second).with_directory(str(serving))
    assert (Path(served.served_statistics) / "Split-train" / "file").read_text() == "statistics"
    assert (Path(served.served_schema) / "Split-train" / "file").read_text() == "schema"


def test_a_failed_copy_leaves_nothing(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = directory(tmp_path)
    (model / "variables" / "gone").symlink_to(tmp_path / "absent")
    with pytest.raises(NotFoundError):
        push_version(str(model), reference, str(serving))
    assert not [path for path in serving.rglob("*") if path.is_file()]


def test_what_a_killed_push_left_is_removed(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = tmp_path / "serving"
    (serving / ".staged-killed").mkdir(parents=True)
    (serving / ".reference" / "1" / "schema").mkdir(parents=True)
    (serving / "served.json.killed").touch()
    (serving / staged_name("served.json")).touch()
    version = push_version(str(model), reference, str(serving))
    confirm_push(str(serving))
    assert below(serving) == [version]
    assert [p.name for p in (serving / ".reference").iterdir()] == [version]


def test_a_version_that_was_never_named_is_taken_back(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = directory(tmp_path)
    named = push_version(str(model), reference, str(serving))
    write_pointer(str(serving), record(named))
    # Killed before `confirm`: but the pointer names it.
    remove_unfinished_push(str(serving))
    assert list_versions(str(serving)) == [named]
    push_version(str(model), reference, str(serving))
    remove_unfinished_push(str(serving))
    assert below(serving) == [named, "served.json"]
    assert [p.name for p in (serving / ".reference").iterdir()] == [named]


def test_nothing_to_take_back(tmp_path: Path) -> None:
    remove_unfinished_push(str(tmp_path / "absent"))
    assert not (tmp_path / "absent").exists()


def test_old_versions_go_but_none_that_a_run_may_still_read(tmp_path: Path) -> None:
    for version in ("1", "2", "3", "4", "10"):
        (tmp_path / version).mkdir()
        (tmp_path / ".reference" / version / "schema").mkdir(parents=True)
    (tmp_path / "served.json").touch()
    needed = dataclasses.replace(record("1"), baseline=record("3")).needed_versions()
    prune_versions(str(tmp_path), keep=2, needed=needed)
    assert list_versions(str(tmp_path)) == ["1", "3", "4", "10"]
    assert sorted(p.name for p in (tmp_path / ".reference").iterdir()) == ["1", "10", "3", "4"]


def test_the_pointer_is_replaced_as_a_whole(tmp_path: Path) -> None:
    serving = str(tmp_path)
    assert read_pointer(serving) is None
    for version in ("1", "2"):
        os.mkdir(tmp_path / version)
        write_pointer(serving, record(version))
        assert read_pointer(serving) == record(version).with_directory(serving)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "2", "served.json"]


def test_a_version_of_which_a_file_was_lost_or_cut_is_not_served(tmp_path: Path) -> None:
    serving = str(tmp_path)
    model = tmp_path / "1" / "variables" / "index"
    model.parent.mkdir(parents=True)
    model.write_text("four")
    whole = dataclasses.replace(record("1"), files=file_sizes(str(tmp_path / "1")))
    assert whole.files == {"variables/index": 4}
    write_pointer(serving, whole)
    assert read_pointer(serving) == whole.with_directory(serving)
    model.write_text("fo")
    assert read_pointer(serving) is None
    model.unlink()
    assert read_pointer(serving) is None


def test_a_version_removed_by_hand_is_not_served(tmp_path: Path) -> None:
    write_pointer(str(tmp_path), record("7"))
    assert read_pointer(str(tmp_path)) is None
