"""Writes tables in Markdown, and puts them between the marks of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def make_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 0
) -> Iterator[str]:
    """Yields the lines of a table of numbers, whose first `texts` columns hold texts."""
    yield f"| {' | '.join(headings)} |"
    yield f"|{' --- |' * texts}{' ---: |' * (len(headings) - texts)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def fill_page(page: str, begin: str, end: str, lines: Iterable[str]) -> str:
    """Returns the page with these lines in place of those between its marks.

    Raises:
      ValueError: the page lacks the marks.
    """
    if begin not in page or end not in page:
        raise ValueError(f"the page lacks the marks {begin} and {end}")
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return "\n".join([before + begin, *lines, end + after])
