"""The command `report`, as a process, on recorded runs."""

import json
from pathlib import Path

import pytest
from command_process import command
from recorded_runs import Recorded, unpack


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Recorded runs, in a directory of a user."""
    return unpack(tmp_path_factory.mktemp("home"))


def report(own: Recorded, *arguments: str) -> tuple[int, str]:
    return command("report", *arguments, "--output", str(own.workspace.root))


def test_a_report_needs_a_place() -> None:
    code, output = command("report")
    assert code == 2
    assert "--output" in output


def test_a_place_without_runs_is_refused(tmp_path: Path) -> None:
    code, output = command("report", "--output", str(tmp_path))
    assert code == 2
    assert "no run has left logs here" in output


def test_the_path_of_the_page_is_printed(own: Recorded) -> None:
    code, output = report(own)
    assert code == 0, output
    page = (Path.cwd() / output.strip()).resolve()
    assert page.parent.name == own.names["pushed again"]
    assert "<title>shop: pushed" in page.read_text()
    code, output = report(own, own.names["died"])
    assert code == 0, output
    content = json.loads((own.workspace.logs / own.names["died"] / "report.json").read_text())
    assert content["verdict"]["status"] == "died"


def test_two_runs_are_compared(own: Recorded, tmp_path: Path) -> None:
    page = tmp_path / "two.html"
    sides = (own.versions["pushed"], own.names["retrained"])
    code, output = report(own, "--compare", *sides, "--output-file", str(page))
    assert code == 0, output
    content = json.loads(page.with_suffix(".json").read_text())
    assert (content["before"]["run"], content["after"]["run"]) == (own.names["pushed"], sides[1])
    assert page.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("x", "--compare", "a", "b"), "give RUN or --compare"),
        (("--output-file", "x.html"), "--output-file belongs to --compare"),
        (("--compare", "served", "17"), "pushed version 17"),
        (("--compare", "served", "served", "--output-file", "/no/x.html"), "/no"),
    ],
)
def test_wrong_usage_ends_with_2(own: Recorded, arguments: tuple[str, ...], words: str) -> None:
    code, output = report(own, *arguments)
    assert code == 2, output
    assert words in output
