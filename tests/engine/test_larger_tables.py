"""Larger tables on the Flink cluster, each compared with a run on this machine."""

from pathlib import Path

import pytest
from flink import ON_FLINK
from outcomes import check_equal, read_outcome
from support import ROOT, SHOP_CONFIG, Project, shop_table, write_csv

pytestmark = [pytest.mark.engine, pytest.mark.nightly]


def test_the_taxi_sample_gives_the_same(tmp_path: Path) -> None:
    path = ROOT / "data/chicago_taxi/sample.csv"
    compare(Project(tmp_path), str(ROOT / "configs/taxi.yaml"), f"--set=data.path={path}")


def test_many_files_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    for number in range(16):
        write_csv(tmp_path / f"shop/{number:02}.csv", shop_table(12_500, seed=number))
    project = Project(tmp_path)
    project.write("my.yaml", SHOP_CONFIG.replace("shop.csv", f"{tmp_path}/shop/*.csv"))
    compare(project, "my.yaml", "--set=training.epochs=1", "--set=training.global_batch_size=512")


def compare(project: Project, config: str, *arguments: str) -> None:
    """Runs on this machine and on Flink, and compares the results."""
    expected = read_outcome(project, project.run(*arguments, config=config))
    project.output = "on-flink"
    check_equal(expected, project, project.run(*arguments, *ON_FLINK, config=config))
