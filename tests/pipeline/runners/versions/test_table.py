"""The table of versions, and the sentences after a change."""

import io
from dataclasses import replace

from rich.console import Console

from components.served_model.changes import Change
from pipeline.runners.versions.listing import Version
from pipeline.runners.versions.table import describe_change, print_versions

SERVED = Version(
    "1795000000", "served", "2026-11-18T10:00:00+00:00", ("auc",), {"auc": 0.91, "loss": 0.2},
    "20261118-100000-000000", "pushed by run 20261118-100000-000000", "", "", 1500, "/s/1795000000",
)  # fmt: skip


def show(*versions: Version) -> str:
    stream = io.StringIO()
    print_versions(versions, Console(file=stream, width=200))
    return stream.getvalue()


def test_a_row_has_the_deciding_metrics_and_why() -> None:
    withdrawn = replace(SERVED, version="1795000001", state="withdrawn", why="wrong \x1b[31m")
    title, first, second = show(SERVED, withdrawn).splitlines()
    assert "auc" in title
    assert "loss" not in title
    assert "0.91" in first
    assert "1.5 kB" in first
    assert "withdrawn" in second
    assert "\\x1b[31m" in second


def test_versions_without_metrics_have_no_columns_of_metrics() -> None:
    assert "auc" not in show(replace(SERVED, metrics={}))


def test_a_rollback_says_what_is_withdrawn_and_how_to_bring_it_back() -> None:
    change = Change("rollback", "1", "k", "", before="3", withdrawn={"2": "b", "3": "c"})
    served, two, three, _ = describe_change(change)
    assert served == "Version 1 is served now in place of version 3."
    assert "`promote 2`" in two
    assert "`promote 3`" in three


def test_a_candidate_with_a_new_number_is_named_by_both() -> None:
    served, waited, _ = describe_change(Change("promote", "9", "k", "", candidate="5"))
    assert served == "Version 9 is served now."
    assert "waited as 5" in waited
