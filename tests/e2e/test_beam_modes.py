"""No mode of Beam loses rows: each component reports the rows that it has seen."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support import SHOP_CONFIG, Project, shop_table, write_csv
from tensorflow_metadata.proto.v0 import statistics_pb2

pytestmark = [pytest.mark.slow, pytest.mark.long]

ROWS = 400


# All other runs are in memory. StatisticsGen counts every row in each mode in its own tests.
COMPONENTS = {
    "multi_threading": ("StatisticsGen", "Transform", "Evaluator"),
    "multi_processing": ("Transform", "Evaluator"),
}


@pytest.mark.parametrize("mode", COMPONENTS)
def test_every_component_sees_every_row(tmp_path: Path, mode: str) -> None:
    project = Project(tmp_path)
    write_csv(tmp_path / "shop.csv", shop_table(ROWS))
    project.write("my.yaml", SHOP_CONFIG)
    flags = json.dumps([f"--direct_running_mode={mode}", "--direct_num_workers=2"])
    sets = (f"--set=beam.components.{name}={flags}" for name in COMPONENTS[mode])
    result = project.run(*sets)
    assert result.code == 0, result.output

    [rows] = [c["rows"] for c in result.summary["components"] if c["name"] == "ExampleGen"]
    assert sum(rows.values()) == ROWS
    assert counted(tmp_path) == rows
    assert transformed(tmp_path) == {name: rows[name] for name in ("train", "eval")}
    assert result.summary["metrics"][""]["examples"] == rows["test"]


def counted(directory: Path) -> dict[str, int]:
    files = directory.glob("out/artifacts/*/StatisticsGen/statistics/*/Split-*/FeatureStats.pb")
    read = statistics_pb2.DatasetFeatureStatisticsList.FromString
    return {split(f): read(f.read_bytes()).datasets[0].num_examples for f in files}


def transformed(directory: Path) -> dict[str, int]:
    folders = directory.glob("out/artifacts/*/Transform/transformed_examples/*/Split-*")
    return {
        folder.name.removeprefix("Split-"): sum(
            pq.read_metadata(file).num_rows for file in folder.glob("*.parquet")
        )
        for folder in folders
    }


def split(file: Path) -> str:
    return file.parent.name.removeprefix("Split-")
