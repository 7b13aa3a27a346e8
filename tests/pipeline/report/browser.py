"""Debian's chromium, and pages in it that notice each error, request and dialog."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_INSTALL = (
    "no chromium is installed: apt-get install chromium, or make test-browser ARGUMENTS=--install"
)
# No name is found, so that a page that asks for anything fails even with a network.
_OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND"
_PATIENCE_MS = 120_000
"""Other tests may keep all cores busy; playwright's own 30 s were too few once."""


def find_chromium() -> str:
    """Returns the browser's path; without one the test is skipped, or fails where it must run.

    PIPELINE_BROWSER is `required` or `skip`; without it, continuous integration (CI) requires it.
    """
    wish = os.environ.get("PIPELINE_BROWSER", "required" if os.environ.get("CI") else "")
    if wish == "skip":
        pytest.skip("PIPELINE_BROWSER is skip")
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        (pytest.fail if wish == "required" else pytest.skip)(_INSTALL)
    return path


@contextmanager
def start_chromium(reachable: str | None = None) -> Iterator[Browser]:
    """Starts the browser, without a network apart from the host `reachable`, and ends it."""
    path = find_chromium()
    rules = f"{_OFFLINE}, EXCLUDE {reachable}" if reachable else _OFFLINE
    arguments = [rules, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


class WatchedPage:
    """A page of the browser, and everything that went wrong on it."""

    def __init__(self, browser: Browser, file: Path, width: int = 1400, theme: str = "light"):
        self.faults: list[str] = []
        self.page: Page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if theme == "dark" else "light",
        )
        self.page.set_default_timeout(_PATIENCE_MS)
        self.page.on("console", self._add_message)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", self._add_dialog)
        self.page.on("request", lambda r: self._add_request(r.url, file.as_uri()))
        self.page.goto(file.as_uri())

    def _add_message(self, message: ConsoleMessage) -> None:
        self.faults.append(f"console {message.type}: {message.text}")

    def _add_dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _add_request(self, url: str, own: str) -> None:
        if url.partition("#")[0] != own:
            self.faults.append(f"request: {url}")

    def open_all(self) -> None:
        """Opens all but the menu and the tables of numbers, and waits for the charts."""
        closed = "details:not(.numbers):not(.menu)"
        self.page.evaluate(f"document.querySelectorAll('{closed}').forEach(d => d.open = true)")
        for figure in self.page.locator("figure.figure").all():
            figure.scroll_into_view_if_needed()
        self.wait_until_drawn()

    def wait_until_drawn(self) -> None:
        """Waits until each figure has a drawing with marks."""
        self.page.wait_for_function(
            """() => [...document.querySelectorAll('figure.figure')]
                .filter(f => !f.closest('details:not([open])'))
                .every(f => f.querySelector('.plot svg .mark-group, .plot svg .role-mark'))"""
        )

    def close(self) -> None:
        """Closes the page; fails if anything went wrong on it."""
        pwned = self.page.evaluate("window.__pwned")
        self.page.close()
        assert self.faults == []
        assert pwned is None
