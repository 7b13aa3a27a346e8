"""The tables: where they come from, and what they can show."""

from pathlib import Path

import pandas as pd
import pytest

from benchmarks.contest.catalogue import TABLES
from benchmarks.contest.purposes import REPORTING, TUNING

DOCS = Path(__file__).parents[3] / "docs/quality.md"


def test_every_table_names_its_origin_and_licence() -> None:
    assert len({table.name for table in TABLES}) == len(TABLES) >= 29
    for table in TABLES:
        assert table.source.origin, table.name
        assert table.source.licence, table.name


def test_tables_of_both_purposes_exist() -> None:
    purposes = [table.purpose for table in TABLES]
    assert min(purposes.count(TUNING), purposes.count(REPORTING)) >= 8


def test_three_tables_have_free_text() -> None:
    """A change of the packages must not take them away: text is where trees are weakest."""
    assert sum("free text" in table.shows for table in TABLES) >= 3


def test_the_documentation_lists_every_table_with_its_purpose() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for table in TABLES:
        cells = (table.name, table.purpose, table.shows, table.source.origin, table.source.licence)
        assert f"| {' | '.join(cells)} |" in text


@pytest.mark.parametrize("name", ["penguins", "bikes", "tumours", "digits", "wines"])
def test_a_table_of_this_project_or_of_scikit_learn_has_a_label(name: str, tmp_path: Path) -> None:
    """The others lie in packages that tests do not unpack."""
    table = next(table for table in TABLES if table.name == name)
    table.write(tmp_path / "table.csv")
    found = pd.read_csv(tmp_path / "table.csv")
    assert found[table.label_column].nunique() > 1
    assert not found.isna().all().any()
