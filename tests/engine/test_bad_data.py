"""Data that a worker of the Flink cluster refuses: told as on one machine.

The data are read by workers. An exception there would be tried again, and again.
"""

from pathlib import Path

import pytest
from flink import ON_FLINK, find_jobs, job_ids
from outcomes import list_leftovers
from support import SHOP_CONFIG, Project, Result, shop_table, write_csv

pytestmark = [pytest.mark.engine, pytest.mark.nightly]


def test_unreadable_dates_end_a_run_as_on_one_machine(tmp_path: Path) -> None:
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
    check_told_as_here(project, here, "Transform")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("1.5,red,1,more", "shop/2.csv:202: expected 3 cells, found 4"),
        ('1.5,"red,1', "shop/2.csv:202: a quote is opened in this row and never closed"),
    ],
)
def test_a_damaged_file_ends_a_run_as_on_one_machine(
    tmp_path: Path, damage: str, words: str
) -> None:
    """Its header is right, so that only the worker that reads the rows can see the damage."""
    (tmp_path / "shop").mkdir()
    for number in range(4):
        write_csv(tmp_path / f"shop/{number}.csv", shop_table(200, seed=number))
    with open(tmp_path / "shop/2.csv", "a", encoding="utf-8") as file:
        file.write(f"{damage}\n")
    project = Project(tmp_path)
    project.write("my.yaml", SHOP_CONFIG.replace("shop.csv", f"{tmp_path}/shop/*.csv"))
    here = project.run()
    assert here.code == 3, here.output
    assert words in errors(here)
    check_told_as_here(project, here, "ExampleGen")


def check_told_as_here(project: Project, here: Result, component: str) -> None:
    """Runs on Flink; no job fails, since data errors travel as data."""
    earlier = job_ids(component)
    project.output = "there"
    there = project.run(*ON_FLINK)
    assert (there.code, errors(there)) == (here.code, errors(here))
    new = [job for job in find_jobs(component) if job["jid"] not in earlier]
    assert {job["state"] for job in new} == {"FINISHED"}
    assert list_leftovers(project) == []


def errors(result: Result) -> str:
    """Returns the error and the hint of a run, without the paths of its files."""
    lines = result.output.partition("Error: ")[2].splitlines()
    return " ".join(line.strip() for line in lines if not line.startswith(("Log:", "Report:")))
