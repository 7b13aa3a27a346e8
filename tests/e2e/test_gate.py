"""Good data passes the gate; a new category, a dropped column and a shifted range do not."""

import numpy as np
import pytest
from support import SHOP_CONFIG, Project, digest_tree, shop_table, write_csv

pytestmark = [pytest.mark.slow, pytest.mark.both_stacks]


@pytest.fixture(scope="module")
def served(project: Project) -> Project:
    """A project with a served model."""
    table = {**shop_table(600), "size": list(np.random.default_rng(2).integers(1, 9, 600))}
    write_csv(project.directory / "shop.csv", table)
    project.write("my.yaml", SHOP_CONFIG.replace("  color:", "  size: numeric\n  color:"))
    result = project.run()
    assert result.code == 0, result.output
    assert result.summary["findings"]["checked_against"] == "itself (first run)"
    return project


def test_bad_data_is_stopped_with_a_table_of_what_is_wrong(served: Project) -> None:
    before = digest_tree(served.serving)
    table = shop_table(600, seed=1)
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
    assert digest_tree(served.serving) == before
    # The findings outlive the stop, and the second time they are not computed again.
    again = served.run()
    assert again.code == 3
    assert again.states()["AnomalyReport"] == "cached"
    assert again.summary["findings"] == result.summary["findings"]


def test_new_data_of_the_same_kind_passes(served: Project) -> None:
    table = {
        **shop_table(600, seed=3),
        "size": list(np.random.default_rng(4).integers(1, 9, 600)),
    }
    write_csv(served.directory / "shop.csv", table)
    result = served.run()
    assert result.code == 0, result.output
    assert result.summary["findings"]["checked_against"].startswith("the served model")


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
