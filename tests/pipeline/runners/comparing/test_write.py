"""The page of two runs and its JSON are written side by side."""

import json
from html.parser import HTMLParser
from pathlib import Path

from recorded_runs import Recorded

from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.write import write_comparison_page


class _Text(HTMLParser):
    """Collects the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_page_and_its_content_are_written(recorded: Recorded, tmp_path: Path) -> None:
    names = [recorded.names[kind] for kind in ("pushed", "retrained")]
    sides = [ChosenRun(name, recorded.workspace, name) for name in names]
    page = write_comparison_page(recorded.workspace, *sides, tmp_path / "two.html")
    content = json.loads(page.with_suffix(".json").read_text())
    parser = _Text()
    parser.feed(page.read_text())
    text = " ".join(parser.text)
    assert content["headline"] in text
    for words in ("training.seed", "color=red", "Common rows", "All packages have the same"):
        assert words in text


def test_the_page_lies_in_the_output_directory_without_a_name(recorded: Recorded) -> None:
    name = recorded.names["died"]
    side = ChosenRun(name, recorded.workspace, name)
    page = write_comparison_page(recorded.workspace, side, side, None)
    assert page == recorded.workspace.root / f"compare-{name}-{name}.html"
