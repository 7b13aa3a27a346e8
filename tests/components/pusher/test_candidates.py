"""A candidate is complete under its number, or not there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from components.pusher.candidates import add_candidate
from components.pusher.versions import remove_unfinished_push
from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.waiting import Candidate, list_waiting


def make(number: str, run_key: str, keep: int = 2) -> Candidate:
    record = ServedRecord(number, "m", "e", "s", "c", "{}", "d", run_key)
    return Candidate(record, "now", "run", keep, "shop")


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    for name in ("model", "schema", "statistics"):
        (tmp_path / name / "below").mkdir(parents=True)
        (tmp_path / name / "below/file").write_text(name)
    return {name: str(tmp_path / name) for name in ("model", "schema", "statistics")}


def test_a_candidate_has_its_files_and_their_sizes(places: dict[str, str], tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    added = add_candidate(str(serving), make("7", "a"), places)
    assert added.record.files == {"below/file": 5}
    [candidate] = list_waiting(str(serving))
    assert candidate.record.files == {"below/file": 5}
    assert Path(candidate.place("schema"), "below/file").read_text() == "schema"
    assert [path.name for path in serving.iterdir()] == [".waiting"]


def test_an_equal_model_is_replaced_and_the_oldest_goes(
    places: dict[str, str], tmp_path: Path
) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    for number, key in (("7", "a"), ("8", "b"), ("9", "a"), ("10", "c")):
        add_candidate(str(serving), make(number, key), places)
    assert [c.number for c in list_waiting(str(serving))] == ["9", "10"]


def test_after_a_killed_push_the_candidate_that_is_served_waits_no_longer(
    places: dict[str, str], tmp_path: Path
) -> None:
    serving = tmp_path / "serving"
    (serving / "11").mkdir(parents=True)
    for number, key in (("7", "a"), ("8", "b")):
        add_candidate(str(serving), make(number, key), places)
    write_pointer(str(serving), make("11", "a").record)
    remove_unfinished_push(str(serving))
    assert [path.name for path in (serving / ".waiting").iterdir()] == ["8"]
    assert [path.name for path in serving.glob(".staged-*")] == []


def test_a_failed_copy_leaves_no_candidate(places: dict[str, str], tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    with pytest.raises(FileNotFoundError):
        add_candidate(str(serving), make("7", "a"), places | {"schema": str(tmp_path / "absent")})
    assert list_waiting(str(serving)) == []
    remove_unfinished_push(str(serving))
    assert [*serving.iterdir()] == []


def test_a_power_cut_after_a_candidate_loses_no_entry_of_a_directory(
    places: dict[str, str], tmp_path: Path, synced: Callable[[Path], bool]
) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    add_candidate(str(serving), make("7", "a"), places)
    kept = [serving, *serving.rglob("*")]
    assert len(kept) > 10
    assert [path for path in kept if not synced(path)] == []
