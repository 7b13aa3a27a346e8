"""What a user copies accepts what the user read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.core.contracts import NO_REFERENCE
from pipeline.core.events import DataChecked, Finding
from pipeline.terminal.acceptance import (
    can_accept_all,
    combine_options,
    find_options,
    group_by_acceptance,
    warn_about,
)

FINDING = Finding("a", "drift", "stop", (), "", "", "", (), "`--set a.drift=1`", "the served model")


@pytest.mark.parametrize(
    ("accept", "options"),
    [
        ("widen it, or `--set a=1 --set b=2`", ["--set", "a=1", "--set", "b=2"]),
        ("""`--set 'data.types."a b"=float'`""", ["--set", 'data.types."a b"=float']),
        ("change it in schema.pbtxt", []),
        ("`--set 'a`b.drift=1'`", []),
    ],
)
def test_the_options_of_a_sentence_are_found(accept: str, options: list[str]) -> None:
    assert find_options(accept) == options


def test_options_are_combined_where_each_finding_has_one() -> None:
    other = replace(FINDING, column="b", accept="`--set b.drift=1`")
    by_hand = replace(FINDING, column="c", accept="change it by hand")
    assert combine_options([FINDING, other]) == ["--set", "a.drift=1", "--set", "b.drift=1"]
    assert combine_options([FINDING]) == []
    assert combine_options([FINDING, by_hand]) == []
    assert group_by_acceptance([FINDING, replace(FINDING, column="d")]) == {
        "`--set a.drift=1`": ["a", "d"]
    }


def test_several_findings_of_one_column_are_told_apart_by_their_kinds() -> None:
    missing = replace(FINDING, kind="missing_values", accept="`--set a.missing=1`")
    table = replace(FINDING, column=None, kind="too_few_rows", accept="`--set rows=1`")
    again = replace(FINDING, splits=("test",))
    other = replace(FINDING, column="d", accept="`--set d.drift=1`")
    assert group_by_acceptance([FINDING, again, missing, table, other]) == {
        "`--set a.drift=1`": ["a (drift)"],
        "`--set a.missing=1`": ["a (missing values)"],
        "`--set rows=1`": ["too few rows"],
        "`--set d.drift=1`": ["d"],
    }


def test_everything_is_offered_only_if_a_reference_was_compared() -> None:
    assert can_accept_all(DataChecked("the schema in git", (FINDING,)))
    assert not can_accept_all(DataChecked("itself", (replace(FINDING, against="itself"),)))


def test_a_run_that_left_the_reference_out_is_warned_about() -> None:
    [warning] = warn_about(DataChecked(NO_REFERENCE, ()))
    assert "did not compare" in warning
    assert warn_about(DataChecked("the served model 7", ())) == ()
    assert warn_about(None) == ()
