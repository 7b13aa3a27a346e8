"""What is on record about the served version, and what follows for later pushes."""

import dataclasses
import json
from pathlib import Path

from components.served_model.changes import (
    Change,
    Changes,
    Withdrawal,
    list_whole_versions,
    read_changes,
)
from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord

PUSHES = tuple(Change("push", v, key, "2026-03-01") for v, key in (("1", "a"), ("2", "b")))
BACK = Change(
    "rollback", "1", "a", "2026-03-02T04:00:00+00:00", by="ana@lab", reason="slow",
    withdrawn={"2": "b"},
)  # fmt: skip


def record(version: str) -> ServedRecord:
    return ServedRecord(version, "m", "e", "s", "c", "{}", data_key="d", run_key=f"key-{version}")


def test_a_rollback_takes_versions_out_of_those_that_replaced_each_other() -> None:
    assert Changes(PUSHES).list_served() == ["1", "2"]
    changes = Changes((*PUSHES, BACK))
    assert changes.list_served() == ["1"]
    assert [*changes.withdrawals()] == ["2"]
    again = Changes((*changes.entries, Change("promote", "2", "b", "later")))
    assert again.list_served() == ["1", "2"]
    assert again.withdrawals() == {}
    worse = dataclasses.replace(BACK, withdrawn={"3": "c"})
    assert Changes((*changes.entries, worse)).withdrawals() == {
        "2": Withdrawal("2", BACK),
        "3": Withdrawal("3", worse),
    }
    assert again.last("2") == again.entries[-1]
    assert again.last("3") is None


def test_the_way_back_leads_to_the_last_version_that_exists() -> None:
    changes = Changes((*PUSHES, Change("push", "3", "c", "")))
    assert changes.find_previous({"1", "2", "3"}) == "2"
    assert changes.find_previous({"1", "3"}) == "1"
    assert changes.find_previous({"3"}) is None


def test_a_withdrawal_says_who_when_and_why() -> None:
    withdrawal = Changes((*PUSHES, BACK)).find_withdrawal("b")
    assert withdrawal is not None
    assert withdrawal.describe() == (
        "version 2, which is this model, was withdrawn by ana@lab on 2026-03-02 by a rollback to "
        "version 1, because: slow"
    )
    for other in ("a", "z"):
        assert Changes((*PUSHES, BACK)).find_withdrawal(other) is None
    silent = Withdrawal("2", dataclasses.replace(BACK, by="", reason=""))
    assert silent.describe() == (
        "version 2, which is this model, was withdrawn on 2026-03-02 by a rollback to version 1"
    )


def test_of_versions_with_one_model_the_newest_is_named() -> None:
    twice = dataclasses.replace(BACK, withdrawn={"2": "b", "3": "c", "4": "b"})
    withdrawal = Changes((*PUSHES, twice)).find_withdrawal("b")
    assert withdrawal is not None
    assert (withdrawal.version, withdrawal.change) == ("4", twice)


def test_the_property_for_the_cache_differs_between_two_rollbacks() -> None:
    promoted = Change("promote", "2", "b", "2026-03-03")
    later = Change("rollback", "1", "a", "2026-03-04", withdrawn={"2": "b"})
    first = Changes((*PUSHES, BACK)).find_withdrawal("b")
    assert Changes((*PUSHES, BACK, promoted)).find_withdrawal("b") is None
    second = Changes((*PUSHES, BACK, promoted, later)).find_withdrawal("b")
    assert first is not None
    assert second is not None
    assert first.to_property() != second.to_property()


def test_pushes_of_removed_versions_are_forgotten_and_rollbacks_are_not() -> None:
    changes = Changes((*PUSHES, BACK)).add(Change("push", "3", "c", ""), existing={"3"})
    assert [change.action for change in changes.entries] == ["rollback", "push"]
    assert changes.find_withdrawal("b") is not None


def test_changes_survive_in_the_pointer_which_stays_readable(tmp_path: Path) -> None:
    for version in ("1", "2"):
        (tmp_path / version).mkdir()
        write_pointer(str(tmp_path), record(version), Change("push", version, "k", "now"))
    assert [c.version for c in read_changes(str(tmp_path)).entries] == ["1", "2"]
    write_pointer(str(tmp_path), record("2"))
    assert [c.version for c in read_changes(str(tmp_path)).entries] == ["1", "2"]
    assert read_changes(str(tmp_path / "absent")) == Changes()


def test_a_pointer_of_an_earlier_release_means_pushes_in_the_order_of_numbers(
    tmp_path: Path,
) -> None:
    for version in ("1700000000", "1700000100", "1700000200"):
        (tmp_path / version).mkdir()
    # A person put an older pointer back by hand.
    (tmp_path / "served.json").write_text(record("1700000100").to_json())
    first, second = read_changes(str(tmp_path)).entries
    assert first == Change("push", "1700000000", "", "2023-11-14T22:13:20+00:00", before="")
    assert second == Change(
        "push", "1700000100", "key-1700000100", "2023-11-14T22:15:00+00:00", before="1700000000"
    )


def test_a_version_number_that_is_no_time_leaves_the_time_of_its_push_empty(
    tmp_path: Path,
) -> None:
    number = "9" * 20
    (tmp_path / number).mkdir()
    (tmp_path / "served.json").write_text(record(number).to_json())
    [push] = read_changes(str(tmp_path)).entries
    assert push.at == ""


def test_the_version_of_an_unfinished_push_does_not_count(tmp_path: Path) -> None:
    for version in ("1", "2", "10", ".reference"):
        (tmp_path / version).mkdir()
    (tmp_path / "3").touch()
    assert list_whole_versions(str(tmp_path), "2") == ["1", "2", "10"]
    (tmp_path / ".pending").write_text("10")
    assert list_whole_versions(str(tmp_path), "2") == ["1", "2"]
    assert list_whole_versions(str(tmp_path), "10") == ["1", "2", "10"]
    assert list_whole_versions(str(tmp_path / "absent"), "2") == []


def test_the_pointer_holds_no_path_of_this_machine(tmp_path: Path) -> None:
    write_pointer(str(tmp_path), record("1").with_directory(str(tmp_path)))
    assert str(tmp_path) not in json.dumps((tmp_path / "served.json").read_text())


def test_a_candidate_with_a_new_number_is_found_by_its_old_one() -> None:
    changes = Changes((Change("promote", "9", "k", "", candidate="5"),))
    assert (changes.rename_candidate("5"), changes.rename_candidate("6")) == ("9", "6")
