"""The documentation says what the code does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(
    ("page", "script"),
    [
        ("configuration.md", "write_configuration_docs.py"),
        ("training.md", "write_strategy_docs.py"),
    ],
)
def test_what_is_written_from_the_code_is_up_to_date(page: str, script: str) -> None:
    written = subprocess.run(
        [sys.executable, f"scripts/{script}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert (ROOT / "docs" / page).read_text(encoding="utf-8") == written


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_make_alone_lists_the_targets() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = (
        "setup run-local compile test image test-image lint typecheck data lock audit sbom clean"
    )
    for target in [*targets.split(), "bench", "bench-growth", "bench-scaling", "bench-quality"]:
        assert re.search(rf"^{target} +\w", listed, re.MULTILINE), target
