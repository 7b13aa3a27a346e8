"""Each version keeps its own record."""

import dataclasses
from pathlib import Path

import pytest

from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.version_records import (
    find_version_record,
    list_unnamed,
    refuse_damaged,
    refuse_lost_pointer,
    refuse_lost_version,
    save_record,
    save_served_record,
)
from pipeline.core.errors import ConfigError


def record(version: str, baseline: ServedRecord | None = None) -> ServedRecord:
    texts = (version, "m", "e", "s", "c", "{}", "d", "r")
    return ServedRecord(*texts, files={"file": 4}, baseline=baseline)


def serve(serving: Path, one: ServedRecord) -> ServedRecord:
    for name in (one.version, *(f".reference/{one.version}/{n}" for n in ("schema", "statistics"))):
        (serving / name).mkdir(parents=True)
    (serving / one.version / "file").write_text("four")
    write_pointer(str(serving), one)
    return one.with_directory(str(serving))


def test_a_record_is_kept_for_the_time_after_another_version_is_served(tmp_path: Path) -> None:
    first = serve(tmp_path, record("1", baseline=record("0")))
    save_served_record(str(tmp_path))
    second = serve(tmp_path, record("2", baseline=record("1")))
    assert find_version_record(str(tmp_path), "1") == first
    assert find_version_record(str(tmp_path), "2") == second
    assert find_version_record(str(tmp_path), "3") is None


def test_without_a_pointer_only_the_kept_records_are_known(tmp_path: Path) -> None:
    assert find_version_record(str(tmp_path), "1") is None
    save_record(str(tmp_path), record("1"))
    assert find_version_record(str(tmp_path), "1") == record("1").with_directory(str(tmp_path))


def test_the_pointer_knows_its_baseline_without_the_baselines_own(tmp_path: Path) -> None:
    serve(tmp_path, record("2", baseline=record("1")))
    known = record("1").with_directory(str(tmp_path))
    assert find_version_record(str(tmp_path), "1") == known
    (tmp_path / ".reference/1").mkdir()
    (tmp_path / ".reference/1/served.json").write_text("{")
    assert find_version_record(str(tmp_path), "1") == known, "a damaged record is a lost one"


def test_a_kept_record_is_not_replaced_by_what_the_pointer_says(tmp_path: Path) -> None:
    serve(tmp_path, record("1"))
    kept = dataclasses.replace(record("1"), run_key="kept")
    save_record(str(tmp_path), kept)
    save_served_record(str(tmp_path))
    assert find_version_record(str(tmp_path), "1") == kept.with_directory(str(tmp_path))


@pytest.mark.parametrize("gone", ["1/file", ".reference/1/schema", ".reference/1/statistics"])
def test_a_version_with_lost_files_is_refused(tmp_path: Path, gone: str) -> None:
    served = serve(tmp_path, record("1"))
    refuse_damaged(served)
    (tmp_path / gone).rename(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="version 1 cannot be served"):
        refuse_damaged(served)


@pytest.mark.parametrize("gone", ["1/file", ".reference/1/schema", ".reference/1/statistics"])
def test_a_served_version_with_lost_files_is_no_first_run(tmp_path: Path, gone: str) -> None:
    served, serving = serve(tmp_path, record("1")), str(tmp_path)
    refuse_lost_version(serving, "another key")
    (tmp_path / gone).rename(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match=f"version 1 is served, but .*{Path(gone).name}") as error:
        refuse_lost_version(serving, "another key")
    assert "`rollback`, or `promote VERSION`" in error.value.hint
    refuse_lost_version(serving, served.run_key)


def test_where_nothing_is_served_nothing_is_lost(tmp_path: Path) -> None:
    refuse_lost_version(str(tmp_path), "key")


def test_versions_without_a_pointer_are_refused_and_named(tmp_path: Path) -> None:
    serving = str(tmp_path)
    refuse_lost_pointer(serving)
    for version in ("9", "10"):
        serve(tmp_path, record(version))
        save_served_record(serving)
    assert list_unnamed(serving) == []
    refuse_lost_pointer(serving)
    (tmp_path / "served.json").unlink()
    assert list_unnamed(serving) == ["9", "10"]
    with pytest.raises(ConfigError, match=r"served\.json is gone.*\(9, 10\)") as error:
        refuse_lost_pointer(serving)
    assert "`promote VERSION`" in error.value.hint


def test_a_first_push_that_was_killed_leaves_no_lost_pointer(tmp_path: Path) -> None:
    serve(tmp_path, record("9"))
    save_served_record(str(tmp_path))
    (tmp_path / "served.json").unlink()
    (tmp_path / ".pending").write_text("9")
    assert list_unnamed(str(tmp_path)) == []
    # An earlier release kept no records.
    (tmp_path / ".pending").unlink()
    (tmp_path / ".reference/9/served.json").unlink()
    assert list_unnamed(str(tmp_path)) == []
