"""Writes the page that compares two runs, and its content as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.core.errors import ConfigError
from pipeline.report.files import write_comparison
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.compare import compare
from pipeline.runners.workspace.places import Workspace

_MARK = '<p class="status">Two runs side by side</p>'
"""Stands in every page of a comparison, and in no other page."""


def write_comparison_page(
    workspace: Workspace, before: ChosenRun, after: ChosenRun, page: Path | None
) -> Path:
    """Compares the runs, and returns the path of the page.

    Args:
      page: the page; None for `compare-A-B.html` in the output directory.

    Raises:
      ConfigError: the metadata file of a run cannot be used.
      OSError: a file cannot be written.
    """
    page = page or workspace.comparison(before.name, after.name)
    write_comparison(compare(before, after), page, page.with_suffix(".json"))
    return page


def check_page(page: Path) -> None:
    """Checks that the page and the JSON beside it replace no file that holds something else.

    Raises:
      ConfigError: the name is not that of a page, or one of the two files is no comparison.
    """
    if page.suffix != ".html":
        raise ConfigError(
            f"--output-file {page}: the page is HTML", "give the file a name that ends in .html"
        )
    beside = page.with_suffix(".json")
    for path, is_ours in ((page, _is_page(page)), (beside, _is_content(beside))):
        if path.exists() and not is_ours:
            raise ConfigError(
                f"--output-file {page}: would replace {path}, which is no comparison of two runs",
                "choose another name",
            )


def _is_page(path: Path) -> bool:
    """Whether the file is the page of a comparison."""
    try:
        return _MARK in path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def _is_content(path: Path) -> bool:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and {"before", "after", "headline"} <= content.keys()
