"""The documentation says what the code does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.core.events.event_types import EVENT_TYPES

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(
    ("page", "script"),
    [
        ("configuration.md", "write_configuration_docs.py"),
        ("training.md", "write_strategy_docs.py"),
        ("report.schema.json", "write_report_schema.py"),
    ],
)
def test_pages_made_from_the_code_are_up_to_date(page: str, script: str) -> None:
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


def test_every_path_on_the_map_exists() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = "pipeline|components|serving|trainer_module|tests|scripts"
    paths = re.findall(rf"`((?:{rooms})/[\w./]*)`", text)
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_map_lists_every_event_once() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    table = text.partition("## Events")[2].partition("\n## ")[0]
    listed = re.findall(r"`([A-Z]\w+)`", table)
    assert sorted(listed) == sorted(event.__name__ for event in EVENT_TYPES)


def test_make_alone_lists_the_targets() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = (
        "setup run-local serve compile test test-browser image test-image lint typecheck data lock "
        "audit sbom bench bench-growth bench-everyday bench-drivers bench-engine bench-scaling "
        "bench-quality bench-serving bench-predict predict torture fuzz coverage mutation clean"
    )
    for target in targets.split():
        assert re.search(rf"^{target} +\w", listed, re.MULTILINE), target
