"""Candidates lie apart from the versions, and a damaged one is named."""

from pathlib import Path

import pytest

from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.waiting import (
    Candidate,
    find_waiting,
    list_waiting,
    read_candidate,
    waiting_directory,
)
from pipeline.core.errors import ConfigError


def leave(serving: Path, number: str, run_key: str) -> Candidate:
    record = ServedRecord(number, "m", "e", "s", "c", "{}", "d", run_key)
    place = Path(waiting_directory(str(serving), number))
    place.mkdir(parents=True)
    candidate = Candidate(record.with_directory(str(serving)), "now", "run", 3, "shop", str(place))
    (place / "candidate.json").write_text(candidate.to_json())
    return candidate


def test_candidates_are_listed_by_number_and_hold_no_path_of_this_machine(tmp_path: Path) -> None:
    assert list_waiting(str(tmp_path)) == []
    tenth, ninth = leave(tmp_path, "10", "b"), leave(tmp_path, "9", "a")
    assert list_waiting(str(tmp_path)) == [ninth, tenth]
    assert str(tmp_path) not in (tmp_path / ".waiting/9/candidate.json").read_text()


def test_a_candidate_that_is_served_does_not_wait(tmp_path: Path) -> None:
    candidate = leave(tmp_path, "9", "a")
    place = find_waiting(str(tmp_path / "9"))
    assert place == candidate.directory
    (tmp_path / "9").mkdir()
    write_pointer(str(tmp_path), candidate.record)
    assert list_waiting(str(tmp_path)) == []
    assert find_waiting(str(tmp_path / "9")) is None


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"record": {}}', '{"record": 3}'])
def test_a_damaged_candidate_is_named(tmp_path: Path, content: str) -> None:
    candidate = leave(tmp_path, "9", "a")
    (tmp_path / ".waiting/9/candidate.json").write_text(content)
    with pytest.raises(ConfigError, match=r"\.waiting/9/candidate\.json") as error:
        read_candidate(str(tmp_path), "9")
    assert candidate.directory in error.value.hint
