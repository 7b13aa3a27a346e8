"""Reading and writing the pointer of a serving directory, and finding what it names."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.served_model.changes import Change
from components.served_model.pointer import (
    find_damage,
    find_record,
    find_unchanged_record,
    make_resolution,
    read_pointer,
    resolve_withdrawal,
    write_pointer,
)
from components.served_model.served_record import Role, ServedRecord
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.files import file_sizes

NOBODY = 65534


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """Runs as another user if this is root, who may read every file."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def make_record(version: str) -> ServedRecord:
    return ServedRecord(version, "m", "e", "s", "c", "{}", data_key="d", run_key="r")


@pytest.fixture
def serving() -> Iterator[Path]:
    """A whole served model; every user may enter the directories above it.

    The artifacts that its record names do not exist, as on a platform that keeps them elsewhere.
    """
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        for part in ("1/variables", ".reference/1/schema", ".reference/1/statistics"):
            (directory / part).mkdir(parents=True)
        (directory / "1/variables/index").write_text("four")
        files = file_sizes(str(directory / "1"))
        write_pointer(name, dataclasses.replace(make_record("1"), files=files))
        yield directory


def test_the_record_of_a_whole_served_model_is_found(serving: Path) -> None:
    served = read_pointer(str(serving))
    assert served is not None
    assert find_record(str(serving), "reference", "other") == served
    assert find_record(str(serving), "baseline", "other") == served
    assert find_record(str(serving), "baseline", "r") is None


@pytest.mark.parametrize(
    ("gone", "role"),
    [
        (".reference/1/schema", "reference"),
        (".reference/1/statistics", "reference"),
        ("1", "baseline"),
    ],
)
def test_a_record_whose_files_were_deleted_is_not_found(
    serving: Path, gone: str, role: str
) -> None:
    (serving / gone).rename(serving / "elsewhere")
    assert find_record(str(serving), role, "other") is None
    if gone != "1":
        assert find_record(str(serving), "baseline", "other") is not None


def test_a_record_is_found_unchanged_until_another_model_is_pushed(serving: Path) -> None:
    resolved = make_resolution("other", find_record(str(serving), "baseline", "other"))
    assert find_unchanged_record(str(serving), "baseline", "other", resolved) is not None
    with pytest.raises(DataError, match="the files were changed after the run had begun"):
        find_unchanged_record(str(serving), "baseline", "other data", resolved)
    (serving / "2").mkdir()
    write_pointer(str(serving), make_record("2"))
    with pytest.raises(ConfigError, match="another run pushed 2 meanwhile"):
        find_unchanged_record(str(serving), "baseline", "other", resolved)


def test_a_run_that_began_without_a_served_model_ends_without_one_or_is_refused(
    serving: Path,
) -> None:
    (serving / "served.json").unlink()
    resolved = make_resolution("key", find_record(str(serving), "baseline", "key"))
    assert find_unchanged_record(str(serving), "baseline", "key", resolved) is None
    write_pointer(str(serving), make_record("1"))
    with pytest.raises(ConfigError, match="another run pushed 1 meanwhile"):
        find_unchanged_record(str(serving), "baseline", "key", resolved)


@pytest.mark.parametrize(("role", "key"), [("reference", "d"), ("baseline", "r")])
def test_the_served_model_itself_is_compared_with_what_it_was_compared_with(
    serving: Path, role: Role, key: str
) -> None:
    """And a model with a new key is compared with the served model."""
    (serving / "2").mkdir()
    first, second = make_record("1"), make_record("2")
    write_pointer(str(serving), dataclasses.replace(second, **{role: first}))
    (serving / ".reference/2").mkdir()
    for name in ("schema", "statistics"):
        (serving / ".reference/2" / name).mkdir()
    for candidate, version in ((key, "1"), ("other", "2")):
        record = find_record(str(serving), role, candidate)
        resolved = make_resolution(candidate, record)
        found = find_unchanged_record(str(serving), role, candidate, resolved)
        assert found is not None
        assert (found, found.version) == (record, version)


def test_the_cache_sees_a_withdrawal_and_its_end(serving: Path) -> None:
    assert resolve_withdrawal(str(serving / "absent"), "r") == ""
    back = Change("rollback", "1", "r", "2026-03-02", withdrawn={"2": "s"})
    write_pointer(str(serving), make_record("1"), back)
    assert resolve_withdrawal(str(serving), "s") == "2 withdrawn 2026-03-02"
    assert resolve_withdrawal(str(serving), "r") == ""
    (serving / "3").mkdir()
    write_pointer(str(serving), make_record("3"), Change("push", "3", "s", "2026-03-03"))
    assert resolve_withdrawal(str(serving), "s") == ""


def test_writing_a_pointer_replaces_the_one_before(tmp_path: Path) -> None:
    serving = str(tmp_path)
    assert read_pointer(serving) is None
    for version in ("1", "2"):
        os.mkdir(tmp_path / version)
        write_pointer(serving, make_record(version))
        assert read_pointer(serving) == make_record(version).with_directory(serving)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "2", "served.json"]


def test_a_version_with_a_lost_or_cut_file_is_not_served(tmp_path: Path) -> None:
    serving = str(tmp_path)
    model = tmp_path / "1" / "variables" / "index"
    model.parent.mkdir(parents=True)
    model.write_text("four")
    whole = dataclasses.replace(make_record("1"), files=file_sizes(str(tmp_path / "1")))
    assert whole.files == {"variables/index": 4}
    write_pointer(serving, whole)
    assert read_pointer(serving) == whole.with_directory(serving)
    model.write_text("fo")
    assert read_pointer(serving) is None
    model.unlink()
    assert read_pointer(serving) is None


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("1", "1 is not there, or has lost files"),
        ("1/variables/index", "1 is not there, or has lost files"),
        (".reference/1/schema", "schema is not there"),
        (".reference/1/statistics", "statistics is not there"),
    ],
)
def test_what_a_version_has_lost_is_named(serving: Path, gone: str, words: str) -> None:
    record = read_pointer(str(serving))
    assert record is not None
    assert find_damage(record) == ""
    (serving / gone).rename(serving / "elsewhere")
    assert find_damage(record).endswith(words)


def test_a_version_removed_by_hand_is_not_served(tmp_path: Path) -> None:
    write_pointer(str(tmp_path), make_record("7"))
    assert read_pointer(str(tmp_path)) is None


@pytest.mark.parametrize("closed", [".", "served.json", "1", "1/variables", ".reference"])
def test_an_unreadable_serving_directory_is_an_error_and_not_an_empty_one(
    serving: Path, closed: str
) -> None:
    path = serving / closed
    mode = path.stat().st_mode
    path.chmod(0)
    words = rf"^serving\.directory: {serving}.* cannot be read: "
    with without_rights(), pytest.raises(ConfigError, match=words):
        find_record(str(serving), "reference", "other")
    path.chmod(mode)
    assert find_record(str(serving), "reference", "other") is not None


def test_without_directory_or_pointer_no_model_is_served(serving: Path) -> None:
    assert read_pointer(str(serving / "absent")) is None
    (serving / "served.json").unlink()
    with without_rights():
        assert read_pointer(str(serving)) is None


def test_a_pointer_that_is_no_text_is_damaged(serving: Path) -> None:
    (serving / "served.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"served\.json: damaged"):
        read_pointer(str(serving))
