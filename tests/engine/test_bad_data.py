"""Data that a worker of the Flink cluster refuses: told as on one machine."""

from pathlib import Path

import pytest
from flink import ON_FLINK, find_jobs
from support import SHOP_CONFIG, Project, Result, shop_table, write_csv

pytestmark = [pytest.mark.engine, pytest.mark.nightly]


def test_unreadable_dates_end_a_run_as_on_one_machine(tmp_path: Path) -> None:
    """The data are read by workers; an exception there would be tried again, and again."""
    table = shop_table()
    table["day"] = [f"{1 + row % 28}.{1 + row % 12}.2024" for row in range(len(table["price"]))]
    write_csv(tmp_path / "shop.csv", table)
    project = Project(tmp_path)
    features = "  color: categorical\n  day: timestamp\n"
    config = SHOP_CONFIG.replace("  color: categorical\n", features)
    project.write("my.yaml", config.replace("shop.csv", str(tmp_path / "shop.csv")))
    here = project.run()
    assert here.code == 3, here.output
    assert "cannot be read as iso, such as '" in errors(here)
    project.output = "there"
    there = project.run(*ON_FLINK)
    assert (there.code, errors(there)) == (here.code, errors(here))
    assert {job["state"] for job in find_jobs("Transform")} == {"FINISHED"}


def errors(result: Result) -> str:
    """Returns the error and the hint of a run, without the paths of its files."""
    lines = result.output.partition("Error: ")[2].splitlines()
    return " ".join(line.strip() for line in lines if not line.startswith(("Log:", "Report:")))
