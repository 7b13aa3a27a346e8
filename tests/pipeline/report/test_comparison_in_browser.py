"""The page of two runs in a real browser: quiet, accessible, inert, readable on a phone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import example_reports
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import WatchedPage, start_chromium
from example_comparisons import compared
from playwright.sync_api import Browser

from pipeline.report.files import write_comparison

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with start_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page whose names and cells are hostile."""
    page = tmp_path_factory.mktemp("page") / "two.html"
    write_comparison(compared(example_reports.HOSTILE), page, page.with_suffix(".json"))
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_a_hostile_comparison_is_quiet_and_accessible(
    browser: Browser, page: Path, width: int, theme: str
) -> None:
    watched = WatchedPage(browser, page, width, theme)
    watched.open_all()
    severe = [
        violation["id"]
        for violation in Axe().run(watched.page).response["violations"]
        if violation["impact"] in ("serious", "critical") or violation["id"] == "empty-table-header"
    ]
    assert severe == []
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
    watched.close()


def test_each_link_leads_to_its_part(browser: Browser, page: Path) -> None:
    watched = WatchedPage(browser, page)
    links = watched.page.eval_on_selector_all("a[href^='#']", "all => all.map(a => a.hash)")
    assert len(set(links)) == 7
    for link in set(links):
        assert watched.page.locator(link).count() == 1
    watched.close()


def test_the_content_beside_the_page_is_complete(page: Path) -> None:
    content = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert content["before"]["asked"] == example_reports.HOSTILE[-1]
    assert content["rows"]["changed_rows"][0]["size"] == 0.7
