"""Writes the page that compares two runs, and its content as JSON."""

from __future__ import annotations

from pathlib import Path

from pipeline.report.files import write_comparison
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.compare import compare
from pipeline.runners.workspace.places import Workspace


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
