"""Pushing versions into a serving directory, and removing them."""

import dataclasses
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from components.pusher.versions import (
    confirm_push,
    list_rollback_targets,
    list_versions,
    new_number,
    prune_versions,
    push_version,
    remove_unfinished_push,
)
from components.served_model.changes import Change, Changes
from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord
from pipeline.core.files import staged_name


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    (path / "variables").mkdir(parents=True)
    (path / "saved_model.pb").write_text("graph")
    (path / "variables" / "variables.index").write_text("weights")
    return path


@pytest.fixture
def reference(tmp_path: Path) -> dict[str, str]:
    """The directories of a schema and of statistics."""
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
    """Names in the serving directory, without the reference directory."""
    return sorted(p.name for p in serving.iterdir() if p.name != ".reference")


def test_a_push_copies_model_and_reference_under_a_rising_number(
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


def test_a_new_number_is_higher_than_those_of_versions_and_candidates(tmp_path: Path) -> None:
    assert abs(int(new_number(str(tmp_path))) - time.time()) < 60
    # The clock of the machine that pushed before was wrong.
    future = 10**11
    (tmp_path / str(future)).mkdir()
    assert new_number(str(tmp_path)) == str(future + 1)
    (tmp_path / ".waiting" / str(future + 1)).mkdir(parents=True)
    assert new_number(str(tmp_path)) == str(future + 2)


def test_a_wanted_number_is_taken_if_it_is_higher_than_each_version(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = str(directory(tmp_path))
    for wanted, taken in (("5", True), ("7", True), ("7", False), ("6", False)):
        version = push_version(str(model), reference, serving, number=wanted)
        write_pointer(serving, record(version))
        confirm_push(serving)
        assert (version == wanted) == taken
        if not taken:
            prune_versions(serving, keep=1, needed={"5", "7"})
            shutil.rmtree(tmp_path / "serving" / version)
    assert list_versions(serving) == ["5", "7"]


def test_exports_are_copied_into_the_version(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = directory(tmp_path)
    extra = {"assets.extra/exports": reference["schema"]}
    version = push_version(str(model), {}, str(serving), extra=extra)
    exports = serving / version / "assets.extra" / "exports"
    assert (exports / "Split-train" / "file").read_text() == "schema"


def test_a_reference_that_is_gone_is_named_and_leaves_no_file(model: Path, tmp_path: Path) -> None:
    serving = directory(tmp_path)
    with pytest.raises(FileNotFoundError, match="absent"):
        push_version(str(model), {"schema": str(tmp_path / "absent")}, str(serving))
    assert not [path for path in serving.rglob("*") if path.is_file()]


def test_a_failed_copy_leaves_no_file(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = directory(tmp_path)
    (model / "variables" / "gone").symlink_to(tmp_path / "absent")
    with pytest.raises(FileNotFoundError):
        push_version(str(model), reference, str(serving))
    assert not [path for path in serving.rglob("*") if path.is_file()]


def test_a_push_removes_the_leftovers_of_a_killed_push(
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


def test_a_pending_version_is_removed_unless_the_pointer_names_it(
    model: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    serving = directory(tmp_path)
    named = push_version(str(model), reference, str(serving))
    write_pointer(str(serving), record(named))
    # The push was killed before `confirm_push`, but the pointer names the version.
    remove_unfinished_push(str(serving))
    assert list_versions(str(serving)) == [named]
    push_version(str(model), reference, str(serving))
    remove_unfinished_push(str(serving))
    assert below(serving) == [named, "served.json"]
    assert [p.name for p in (serving / ".reference").iterdir()] == [named]


def test_without_a_serving_directory_there_is_nothing_to_remove(tmp_path: Path) -> None:
    remove_unfinished_push(str(tmp_path / "absent"))
    assert not (tmp_path / "absent").exists()


def test_pruning_keeps_the_newest_versions_and_those_a_run_may_still_read(tmp_path: Path) -> None:
    for version in ("1", "2", "3", "4", "5", "10"):
        (tmp_path / version).mkdir()
        (tmp_path / ".reference" / version / "schema").mkdir(parents=True)
    (tmp_path / "served.json").touch()
    needed = dataclasses.replace(record("1"), baseline=record("3")).needed_versions()
    prune_versions(str(tmp_path), keep=2, needed=needed)
    assert list_versions(str(tmp_path)) == ["1", "3", "5", "10"]
    assert sorted(p.name for p in (tmp_path / ".reference").iterdir()) == ["1", "10", "3", "5"]


def test_one_can_go_back_to_the_newest_versions_that_are_not_withdrawn(tmp_path: Path) -> None:
    for version in ("1", "2", "3", "4"):
        (tmp_path / version).mkdir()
    pushes = [Change("push", version, "k", "") for version in ("1", "2", "3", "4", "5")]
    back = Change("rollback", "3", "k", "", withdrawn={"4": "k", "5": "k"})
    changes = Changes((*pushes, back))
    assert list_rollback_targets(str(tmp_path), changes, keep=2) == ["2", "3"]
    # Version 5 is gone.
    assert list_rollback_targets(str(tmp_path), Changes((*pushes,)), keep=3) == ["2", "3", "4"]


def test_a_power_cut_after_a_push_loses_no_entry_of_a_directory(
    tmp_path: Path, model: Path, reference: dict[str, str], synced: Callable[[Path], bool]
) -> None:
    """A new directory is lost unless the directory above it was synced, too."""
    serving = directory(tmp_path)
    push_version(str(model), reference, str(serving))
    kept = [serving, *serving.rglob("*")]
    assert len(kept) > 10
    assert [path for path in kept if not synced(path)] == []
