"""The tables and the local run that the runs on Flink are compared with."""

import os

import pytest
from outcomes import Outcome, read_outcome
from support import SHOP_CONFIG, Project, shop_table, write_csv

ROWS = 2_000
FILES = 4


# For the session: a fixture of one test would come after the local run.
@pytest.fixture(scope="session", autouse=True)
def _cluster() -> None:
    if "PIPELINE_ENGINE" not in os.environ:
        pytest.skip("needs a Flink cluster: make test-engine")


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Outcome]:
    """A project whose table lies in some files, and the outcome of its run on this machine."""
    project = Project(tmp_path_factory.mktemp("shop"), output="local")
    (project.directory / "shop").mkdir()
    for number in range(FILES):
        table = shop_table(ROWS // FILES, seed=number)
        write_csv(project.directory / f"shop/{number}.csv", table)
    path = project.directory / "shop/*.csv"
    project.write("my.yaml", SHOP_CONFIG.replace("shop.csv", str(path)))
    return project, read_outcome(project, project.run())
