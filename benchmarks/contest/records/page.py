"""Writes the results into docs/quality.md, from the lines of finished matches."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.contest.catalogue import TABLES
from benchmarks.contest.records.lines import Line
from benchmarks.contest.results import group_tables
from benchmarks.contest.showing import list_failures, make_grids
from benchmarks.markdown import fill_page
from benchmarks.measuring.process import ROOT

PAGE = ROOT / "docs/quality.md"
LINES = ROOT / "docs/quality/matches.jsonl"
BEGIN = "<!-- Results: written by `make docs` from docs/quality/matches.jsonl. -->"
END = "<!-- End of the results. -->"


def make_page(page: str, lines: Sequence[Line]) -> str:
    """Returns the page with the results of the lines in place of those between its marks.

    Raises:
      ValueError: the page lacks the marks.
    """
    return fill_page(page, BEGIN, END, _list_paragraphs(lines))


def _list_paragraphs(lines: Sequence[Line]) -> list[str]:
    if not lines:
        return ["", "No match has been kept yet.", ""]
    results = group_tables(lines, TABLES)
    wanted = len(TABLES)
    return [
        "",
        f"{len(lines)} matches, of {len(results)} of the {wanted} tables. {_describe_plans(lines)}",
        "",
        *(grid.to_markdown() for grid in make_grids(results)),
        *(f"- {failure}" for failure in list_failures(results)),
    ]


def _describe_plans(lines: Sequence[Line]) -> str:
    budgets = {line["budget"] for line in lines}
    threads = sorted({line["threads"] for line in lines})
    times = [
        "as long as the Trainer of *ours*" if budget is None else f"{budget:g} s"
        for budget in sorted(budgets, key=lambda budget: budget or 0)
    ]
    counts = " or ".join(str(count) for count in threads)
    return f"Each search took {' or '.join(times)}, with {counts} threads."
