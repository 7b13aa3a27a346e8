"""The page in a real browser: drawn, quiet, accessible, inert."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import example_reports as examples
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import WatchedPage, start_chromium
from playwright.sync_api import Browser

from pipeline.report.page import render_page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with start_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("pages")
    makers = {**examples.ALL, "wide": examples.wide}
    paths = {name: directory / f"{name}.html" for name in makers}
    for name, make in makers.items():
        paths[name].write_text(render_page(make()), encoding="utf-8")
    return paths


@pytest.mark.parametrize("name", examples.ALL)
def test_all_charts_are_drawn_without_an_error_or_a_request(
    name: str, browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files[name])
    watched.open_all()
    drawn = watched.page.locator(".plot svg").count()
    assert drawn == watched.page.locator("figure.figure").count()
    assert drawn >= 20 or name in ("gate_stop", "failed", "interrupted")
    titles = watched.page.locator(".plot svg .role-legend-title").all_text_contents()
    assert "group" not in titles
    watched.close()


def severe_violations(page: WatchedPage) -> list[str]:
    found = Axe().run(page.page).response["violations"]
    return [
        f"{v['id']}: {v['nodes'][0]['html'][:200]} {v['nodes'][0].get('failureSummary', '')}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(
    ("name", "width", "theme"),
    [
        ("tuned", 390, "dark"),
        ("tuned", 1400, "light"),
        ("gate_stop", 390, "dark"),
        ("not_blessed", 1400, "light"),
        ("multiclass", 390, "light"),
        ("regression", 1400, "dark"),
        ("interrupted", 390, "light"),
        ("hostile", 1400, "dark"),
    ],
)
def test_axe_finds_no_serious_fault(
    name: str, width: int, theme: str, browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files[name], width, theme)
    watched.open_all()
    assert severe_violations(watched) == []
    watched.close()


@pytest.mark.parametrize("name", ["hostile", "wide", "multiclass"])
def test_nothing_is_wider_than_the_window_of_a_phone(
    name: str, browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files[name], width=390)
    if name != "wide":
        watched.open_all()
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 390
    watched.close()


def test_a_wide_table_says_that_it_scrolls_sideways_until_its_end_is_in_view(
    browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files["pushed"], width=390)
    frame = watched.page.locator(".scroll:has(table.metrics)").first
    frame.scroll_into_view_if_needed()
    hint = watched.page.locator(".hint + .scroll.more.fixed:has(table.metrics)")
    hint.first.wait_for()
    name = frame.locator("tbody th").first
    before = name.bounding_box()
    frame.evaluate("frame => { frame.scrollLeft = frame.scrollWidth; }")
    watched.page.locator(".scroll:not(.more):has(table.metrics)").first.wait_for()
    assert name.bounding_box() == before
    watched.page.set_viewport_size({"width": 1400, "height": 900})
    watched.page.locator(".hint[hidden] + .scroll:has(table.metrics)").first.wait_for(
        state="attached"
    )
    watched.close()


def test_each_link_leads_to_its_part_and_opens_it(browser: Browser, files: dict[str, Path]) -> None:
    watched = WatchedPage(browser, files["pushed"])
    page = watched.page
    links = page.eval_on_selector_all("a[href^='#']", "all => all.map(a => a.hash)")
    assert len(set(links)) > 8
    for link in dict.fromkeys(links):
        page.evaluate(f"document.querySelector(`a[href='{link}']`).click()")
        assert page.locator(link).is_visible()
        assert page.evaluate("'#' + document.activeElement.id") == link
    watched.close()


def test_the_page_works_in_a_sandboxed_frame(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    """As in Kubeflow's viewer: scripts, but no storage and no address of its own."""
    source = html.escape(files["pushed"].read_text(encoding="utf-8"))
    outer = tmp_path / "outer.html"
    outer.write_text(
        f'<iframe sandbox="allow-scripts" width="1300" height="800" srcdoc="{source}"></iframe>',
        encoding="utf-8",
    )
    watched = WatchedPage(browser, outer)
    watched.faults = [f for f in watched.faults if "about:srcdoc" not in f]
    frame = watched.page.frame_locator("iframe")
    frame.locator("nav.contents a[href='#training']").click()
    frame.locator("#training .plot svg").first.wait_for()
    frame.locator("nav.contents a[href='#lineage']").click()
    frame.locator("#lineage-title").wait_for()
    frame.locator("nav.contents a[href='#lineage'][aria-current]").wait_for()
    frame.locator("#theme").click()
    assert frame.locator("html").get_attribute("data-theme") == "dark"
    watched.faults = [f for f in watched.faults if "about:srcdoc" not in f]
    watched.close()


def test_printing_opens_and_draws_everything_and_then_restores_the_page(
    browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files["tuned"], theme="dark")
    page = watched.page
    closed = page.locator("details:not([open])").count()
    page.emulate_media(media="print")
    watched.wait_until_drawn()
    assert page.locator("details:not([open]):not(.numbers):not(.menu)").count() == 0
    assert page.locator("html").get_attribute("data-theme") == "light"
    page.emulate_media(media="screen")
    page.locator("html[data-theme=dark]").wait_for()
    assert page.locator("details:not([open])").count() == closed
    watched.close()


def test_a_printed_page_has_all_its_parts(browser: Browser, files: dict[str, Path]) -> None:
    watched = WatchedPage(browser, files["pushed"])
    pdf = watched.page.pdf()
    assert len(re.findall(rb"/Type /Page\b", pdf)) > 5
    watched.close()


def test_a_change_of_the_theme_draws_the_charts_anew(
    browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files["regression"])
    watched.open_all()
    page = watched.page
    bar = page.locator("#quality .plot svg .mark-rect path").first
    light = bar.get_attribute("fill")
    page.locator("#theme").click()
    bars = page.locator(f"#quality .plot svg .mark-rect path[fill='{light}']")
    bars.first.wait_for(state="detached")
    assert bar.get_attribute("fill") != light
    assert page.locator("#theme").inner_text() == "Light theme"
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    watched.close()


def test_500_columns_are_searched_sorted_and_filtered(
    browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files["wide"])
    page = watched.page
    shown = page.locator("details.column:not([hidden])")
    assert shown.count() == 500
    page.get_by_label("Find a column").fill("SENSOR_04")
    assert shown.count() == 10
    assert page.locator("#column-count").inner_text() == "10 of 500 columns"
    page.get_by_label("Find a column").fill("")
    page.get_by_label("needs attention only").check()
    assert shown.count() == 2
    page.get_by_label("needs attention only").uncheck()
    page.get_by_label("Sort by").select_option("association")
    values = page.eval_on_selector_all(
        "details.column", "all => all.map(d => Number(d.dataset.association))"
    )
    assert values == sorted(values, reverse=True)
    page.get_by_label("Sort by").select_option("attention")
    assert shown.first.locator(".name").inner_text() == "company"
    watched.close()


def test_a_table_is_sorted_by_a_click_with_empty_cells_last(
    browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files["tuned"])
    table = watched.page.locator("#training table.sortable")
    column = table.locator("tbody td:nth-child(2)")
    for direction, first in (("ascending", "0.33"), ("descending", "0.44")):
        table.get_by_role("button", name="eval_loss").click()
        assert table.locator("th[aria-sort]").get_attribute("aria-sort") == direction
        assert column.first.inner_text() == first
        assert column.last.inner_text() == "–"
    watched.close()


def test_costs_choose_the_cheapest_threshold(browser: Browser, files: dict[str, Path]) -> None:
    watched = WatchedPage(browser, files["pushed"])
    page = watched.page
    best = page.locator("#cost-best")
    equal = float(best.inner_text().rpartition(" ")[2])
    page.get_by_label("Cost of a false negative").fill("20")
    missed = float(best.inner_text().rpartition(" ")[2])
    assert missed < equal
    row = page.locator("#thresholds tr.best")
    positives, negatives = (
        int(row.get_attribute(f"data-{k}") or 0) for k in ("positive", "negative")
    )
    assert row.locator(".cost").inner_text() == f"{positives + 20 * negatives:,}"
    watched.close()


def test_the_numbers_of_a_chart_become_a_table(browser: Browser, files: dict[str, Path]) -> None:
    watched = WatchedPage(browser, files["hostile"])
    figure = watched.page.locator("#data figure.figure").first
    figure.locator("details.numbers summary").click()
    cells = figure.locator("details.numbers tbody tr").first.locator("td").all_inner_texts()
    assert cells[0].startswith("<script>")
    assert cells[2] == "train"
    watched.close()


def test_a_command_is_copied(browser: Browser, files: dict[str, Path]) -> None:
    watched = WatchedPage(browser, files["pushed"])
    watched.page.locator("button.copy").first.click()
    watched.page.locator("#status", has_text="The command is copied.").wait_for(state="attached")
    copied = watched.page.locator(".command code").first
    assert copied.evaluate("code => code.textContent") == (
        "python -m pipeline serve --config taxi.yaml"
    )
    watched.close()


def test_the_menu_of_a_phone_opens_and_closes_by_keyboard(
    browser: Browser, files: dict[str, Path]
) -> None:
    watched = WatchedPage(browser, files["pushed"], width=390)
    page = watched.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("details.menu[open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("details.menu[open]").count() == 0
    watched.close()
