"""The hash of its name decides whether a table may settle a recipe."""

from benchmarks.contest.purposes import REPORTING, TUNING, USED, choose_purpose


def test_a_name_has_the_same_purpose_on_every_machine() -> None:
    assert choose_purpose("rain") == TUNING
    assert choose_purpose("houses") == REPORTING


def test_about_half_of_all_names_may_settle_a_recipe() -> None:
    purposes = [choose_purpose(f"table {number}") for number in range(1000)]
    assert 450 < purposes.count(TUNING) < 550
    assert set(purposes) == {TUNING, REPORTING}


def test_a_table_that_has_settled_something_never_reports() -> None:
    assert {choose_purpose(name) for name in USED} == {TUNING}
