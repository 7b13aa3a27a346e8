"""Tables in Markdown, and the marks of pages."""

import pytest

from benchmarks.markdown import fill_page, make_table


def test_numbers_are_aligned_to_the_right_behind_the_columns_of_text() -> None:
    lines = make_table(["what", "rows", "s"], [["run", "10", "1.5"]], texts=1)
    assert list(lines) == ["| what | rows | s |", "| --- | ---: | ---: |", "| run | 10 | 1.5 |"]


def test_lines_replace_those_between_the_marks_and_nothing_else() -> None:
    page = fill_page("before <a>old\n<b> after\n", "<a>", "<b>", ["new", "lines"])
    assert page == "before <a>\nnew\nlines\n<b> after\n"
    assert fill_page(page, "<a>", "<b>", ["new", "lines"]) == page


@pytest.mark.parametrize("page", ["", "<a>", "<b>"])
def test_a_page_without_the_marks_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="lacks the marks <a> and <b>"):
        fill_page(page, "<a>", "<b>", [])
