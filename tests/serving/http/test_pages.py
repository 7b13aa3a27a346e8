"""The two pages in a real browser, without a network beyond the server."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import start_chromium
from playwright.sync_api import Page, expect
from running_server import RunningServer

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(server: RunningServer) -> Iterator[Page]:
    with start_chromium(reachable=urlsplit(server.address).hostname) as browser:
        yield browser.new_page()


@pytest.fixture
def problems(page: Page, server: RunningServer) -> Iterator[list[str]]:
    """Errors in the console, and requests to other servers; must be empty at the end."""
    found: list[str] = []
    page.on("console", lambda m: found.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on(
        "request",
        lambda r: None if r.url.startswith(server.address) else found.append(r.url),
    )
    yield found
    assert [text for text in found if "400 (Bad Request)" not in text] == []


def check_accessibility(page: Page) -> None:
    violations = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in violations] == []


def test_a_typed_row_is_answered_with_a_bar(
    page: Page, server: RunningServer, problems: list[str]
) -> None:
    page.goto(server.address + "/")
    expect(page.locator("h1")).to_have_text("Model tiny, version 1")
    expect(page.get_by_label("count")).to_have_value("")
    payment = page.get_by_label("payment")
    expect(payment).to_have_value("Cash")
    assert page.locator("datalist option").evaluate_all("all => all.map(o => o.value)") == [
        "Cash",
        "Card",
    ]
    for column in ("größe (cm)", "count", "payment"):
        page.get_by_label(column).fill("")
    page.get_by_role("button", name="Predict").click()
    expect(page.locator("#answer h2")).to_have_text("Prediction: yes")
    expect(page.locator("#answer meter")).to_have_attribute("value", "0.7")
    expect(page.locator("#answer td").last).to_have_text("70.0 %")
    check_accessibility(page)
    payment.fill("Cash")
    page.get_by_role("button", name="Predict").click()
    expect(page.locator("#answer h2")).to_have_text("Prediction: no")
    expect(page.locator("#answer th")).to_have_text("probability of yes")
    expect(page.locator("#answer td").last).to_have_text("10.0 %")
    page.get_by_label("count").fill("three")
    page.get_by_role("button", name="Predict").click()
    expect(page.get_by_role("alert")).to_contain_text("'count' takes a whole number")


def test_the_example_of_the_documentation_can_be_edited_and_sent(
    page: Page, server: RunningServer, problems: list[str]
) -> None:
    page.goto(server.address + "/docs")
    expect(page.locator("#title")).to_have_text("Model tiny, version 1")
    expect(page.locator("#columns tr").first).to_have_text("countinteger or null")
    expect(page.locator("#statuses")).to_contain_text("501")
    assert "`" not in page.locator("main").inner_text()
    body = page.get_by_label("Body")
    expect(body).to_have_value(
        '{\n "instances": [\n  {\n   "count": null,\n   "größe (cm)": 1.235,\n'
        '   "payment": "Cash"\n  }\n ]\n}'
    )
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#answer p")).to_contain_text("Status 200")
    check_accessibility(page)
    body.fill('{"instances": [{"count": null}]}')
    expect(page.locator("#curl")).to_contain_text("""-d '{"instances": [{"count": null}]}'""")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#answer p")).to_contain_text("Status 400")
    expect(page.locator("#answer pre")).to_contain_text("missing columns")
