"""The page of two runs and its JSON are written side by side."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from recorded_runs import Recorded

from pipeline.core.errors import ConfigError
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.write import check_page, write_comparison_page


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
    text = "".join(parser.text)
    assert content["headline"] in text
    # A second comparison may replace the files.
    check_page(page)
    assert '<th scope="col"></th>' not in page.read_text()
    for words in ("training.seed", "color=red", "Common rows", "All packages have the same"):
        assert words in text


def test_the_page_lies_in_the_output_directory_without_a_name(recorded: Recorded) -> None:
    name = recorded.names["died"]
    side = ChosenRun(name, recorded.workspace, name)
    page = write_comparison_page(recorded.workspace, side, side, None)
    assert page == recorded.workspace.root / f"compare-{name}-{name}.html"


@pytest.mark.parametrize("name", ["c.json", "metadata.db", "page"])
def test_a_file_that_is_no_page_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the page is HTML"):
        check_page(tmp_path / name)


@pytest.mark.parametrize("name", ["summary.json", "summary.html"])
def test_no_other_file_is_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"status": "pushed"}')
    with pytest.raises(ConfigError, match=f"would replace .*/{name}"):
        check_page(tmp_path / "summary.html")
    check_page(tmp_path / "other.html")
