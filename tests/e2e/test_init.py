"""`init` and `run`, without edits, on tables of each task."""

import re

import pytest
from object_store import Bucket
from sklearn.datasets import load_wine
from support import ROOT, Project, Result

pytestmark = pytest.mark.slow


def init_and_run(project: Project, table: str, label: str) -> Result:
    made = project.command("init", "--data", table, "--label", label, "--output", f"{label}.yaml")
    assert made.code == 0, made.output
    # The configuration as it is, but for the time: without a limit, each training takes minutes.
    return project.run("--set", "training.seconds=20", config=f"{label}.yaml")


@pytest.fixture(autouse=True)
def own_output(project: Project, request: pytest.FixtureRequest) -> None:
    project.output = "out-" + re.sub(r"\W+", "-", request.node.name)


@pytest.mark.parametrize(
    ("table", "label", "step"),
    [
        pytest.param("data/penguins/penguins.csv", "species", 1, marks=pytest.mark.long),
        pytest.param("data/bike_sharing/bike_sharing.csv", "bikers", 4, marks=pytest.mark.long),
    ],
)
def test_init_and_run_succeed_on_every_nth_row_of_the_samples(
    project: Project, table: str, label: str, step: int
) -> None:
    header, *rows = (ROOT / table).read_text(encoding="utf-8").splitlines()
    sample = "\n".join([header, *rows[::step]]) + "\n"
    (project.directory / "sample.csv").write_text(sample, encoding="utf-8")
    result = init_and_run(project, "sample.csv", label)
    assert result.code == 0, result.output


@pytest.mark.long
def test_init_and_run_succeed_on_a_parquet_table_of_178_rows_in_a_store(
    project: Project, bucket: Bucket
) -> None:
    frame = load_wine(as_frame=True).frame
    frame["target"] = frame["target"].map({0: "barolo", 1: "grignolino", 2: "barbera"})
    bucket.put("cellar/wine-1.parquet", frame[::2].to_parquet(index=False))
    bucket.put("cellar/wine-2.parquet", frame[1::2].to_parquet(index=False))
    result = init_and_run(project, bucket.url("cellar/wine-*.parquet"), "target")
    assert result.code == 0, result.output
    assert result.summary["metrics"][""]["accuracy"] > 0.8
    assert not list(project.directory.rglob("s3:*"))
