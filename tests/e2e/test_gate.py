"""Good data passes the gate; a new category, a dropped column and a shifted range do not."""

from typing import Any

import numpy as np
import pytest
from support import SHOP_CONFIG, Project, digest_tree, shop_table, write_csv

from components.data_figures.figures import DataFigures
from components.run_figures.figures_file import read_figures

pytestmark = pytest.mark.slow


ROWS = 600
CONFIG = SHOP_CONFIG.replace("  color:", "  size: numeric\n  day: timestamp\n  color:")
DAYS = [f"2026-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(ROWS)]


def sized_table(seed: int) -> dict[str, list[Any]]:
    """Returns a table with a column of sizes and one of days."""
    sizes = list(np.random.default_rng(seed + 1).integers(1, 9, ROWS))
    return {**shop_table(ROWS, seed), "size": sizes, "day": DAYS}


@pytest.fixture(scope="module")
def served(project: Project) -> Project:
    """Returns a project with a served model."""
    write_csv(project.directory / "shop.csv", sized_table(seed=0))
    project.write("my.yaml", CONFIG)
    result = project.run()
    assert result.code == 0, result.output
    assert result.summary["findings"]["checked_against"] == "itself (first run)"
    return project


def test_the_gate_stops_bad_data_and_prints_its_findings(served: Project) -> None:
    before = digest_tree(served.serving)
    table = sized_table(seed=1)
    del table["size"]
    table["price"] = [price * 10 for price in table["price"]]
    table["color"] = ["violet" if i % 5 == 0 else c for i, c in enumerate(table["color"])]
    write_csv(served.directory / "shop.csv", table)

    result = served.run()

    assert result.code == 3, result.output
    assert "Traceback" not in result.output
    findings = {(f["column"], f["kind"]) for f in result.summary["findings"]["findings"]}
    assert {("color", "new_category"), ("size", "missing_column"), ("price", "drift")} <= findings
    for words in ("violet", "size", "price", "AnomalyGate"):
        assert words in result.output
    assert "Transform" not in result.states()
    report = result.report()
    assert report["verdict"]["status"] == "stopped by the data gate"
    assert {f["column"] for f in report["data"]["findings"]} >= {"color", "size", "price"}
    assert report["data"]["figures"]["compared_with"]
    assert report["training"] is None
    assert digest_tree(served.serving) == before
    figures = read_figures(served.find_output("DataFigures", "data_figures.json"), DataFigures)
    assert figures.notes == ()
    assert {column.name for column in figures.columns[:3]} == {"color", "price", "size"}
    assert figures.columns[2].attention >= 2
    # The findings outlive the stop, and the second time they are not computed again.
    again = served.run()
    assert again.code == 3
    assert again.states()["AnomalyReport"] == again.states()["DataFigures"] == "cached"
    assert again.summary["findings"] == result.summary["findings"]


def test_new_data_of_the_same_kind_passes(served: Project) -> None:
    write_csv(served.directory / "shop.csv", sized_table(seed=3))
    result = served.run()
    assert result.code == 0, result.output
    assert result.summary["findings"]["checked_against"].startswith("the served model")


@pytest.mark.long
def test_the_schema_can_be_reviewed_in_git(served: Project) -> None:
    shown = served.command("schema", "--config", "my.yaml", "--output", served.output)
    assert shown.code == 0, shown.output
    assert 'name: "color"' in shown.output
    written = served.command("schema", "--config", "my.yaml", "--output", served.output, "--write")
    assert written.code == 0, written.output
    path = served.directory / "my.schema.pbtxt"
    path.write_text(path.read_text().replace('value: "red"', 'value: "crimson"'))
    result = served.run("--set", "schema.path=my.schema.pbtxt")
    assert result.code == 3, result.output
    assert result.summary["findings"]["checked_against"].startswith("the schema in git")
    assert "red" in result.output


@pytest.mark.long
@pytest.mark.parametrize("way", ["features.day.format=day_first", "features.day.max_unreadable=1"])
def test_dates_in_another_format_are_refused_and_the_advice_helps(
    served: Project, way: str
) -> None:
    table = sized_table(seed=3)
    table["day"] = [".".join(reversed(day.split("-"))) for day in DAYS]
    write_csv(served.directory / "shop.csv", table)
    refused = served.run()
    assert refused.code == 3, refused.output
    assert "cannot be read as iso, such as '" in refused.output
    assert "set features.day.format to the format of the times" in refused.output
    accepted = served.run("--set", way)
    assert accepted.code == 0, accepted.output
