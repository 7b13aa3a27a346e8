"""docs/quality.md and the kept matches agree."""

from typing import Any

import pytest

from benchmarks.contest.catalogue import TABLES
from benchmarks.contest.match import Plan
from benchmarks.contest.records.code import UNKNOWN
from benchmarks.contest.records.lines import check_plan, read_lines
from benchmarks.contest.records.page import BEGIN, END, LINES, PAGE, make_page


def test_the_page_shows_the_kept_matches() -> None:
    """If this fails, call `make docs`."""
    page = PAGE.read_text(encoding="utf-8")
    assert make_page(page, read_lines(LINES)) == page


def test_the_kept_matches_are_of_committed_code_tables_and_defaults() -> None:
    lines = read_lines(LINES)
    names = {table.name for table in TABLES}
    for line in lines:
        assert "+" not in line["commit"], line
        assert line["commit"] != UNKNOWN
        assert line["table"] in names
        assert line["budget"] is None, "the standard budget: as long as the Trainer"
        check_plan([line], Plan((), None, line["threads"]))


def test_results_take_the_place_of_those_before_them() -> None:
    page = f"# Quality\n\n{BEGIN}\n\nold\n\n{END}\n\n## The recipe\n"
    made = make_page(page, [some_line()])
    assert made.startswith(f"# Quality\n\n{BEGIN}\n\n1 matches, of 1 of the ")
    assert made.endswith(f"{END}\n\n## The recipe\n")
    assert "old" not in made
    assert "Each search took as long as the Trainer of *ours*, with 2 threads." in made
    assert "- AutoGluon failed on wines, seed 1: no model" in made
    assert make_page(made, [some_line()]) == made


@pytest.mark.parametrize("page", ["# Quality\n", ""])
def test_a_page_without_marks_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="marks"):
        make_page(page, [])


def some_line() -> dict[str, Any]:
    return {
        "table": "wines",
        "seed": 1,
        "commit": "abc12345",
        "date": "2026-01-01",
        "budget": None,
        "threads": 2,
        "task": "multiclass",
        "rows": {"test": 50},
        "seconds": {"init": 1.0, "run": 60.0, "ours": 2.0},
        "scores": {"ours": {"log_loss": 0.1}},
        "errors": {"log_loss": {"ours": {}}},
        "searches": {},
        "cut": [],
        "failed": {"AutoGluon": "no model"},
    }
