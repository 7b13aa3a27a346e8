"""A whole run of a blend whose network trains on two workers, and what its model answers."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from running_server import RunningServer
from support import SHOP_CONFIG, Project

pytestmark = [pytest.mark.slow, pytest.mark.both_stacks]

SPLITS = ("train", "eval", "test")
CONFIG = (
    SHOP_CONFIG.replace("epochs: 15", "epochs: 1, workers: 2")
    + "model: {family: blend, trees: {iterations: 60, learning_rate: 0.3, min_leaf_rows: 5}}\n"
)


def test_two_workers_train_a_blend_that_is_pushed_cached_served_and_used_for_predictions(
    project: Project,
) -> None:
    project.write("my.yaml", CONFIG)
    result = project.run()
    assert result.code == 0, result.output
    assert result.summary["metrics"][""]["auc"] > 0.9
    history = json.loads(project.find_output("Trainer", "history.json").read_text())
    assert history["replicas"] == 2
    weights = {part["part"]: part["weight"] for part in history["parts"]}
    assert set(weights) == {"network", "trees"}
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["trees"] > 0

    # As docs/comparing-runs.md reads the rows for a comparison.
    guide = (Path(__file__).parents[2] / "docs/comparing-runs.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(guide.partition("```python\n")[2].partition("```")[0], names)
    splits = [names["read_split"](str(project.directory / "out"), s) for s in SPLITS]
    table = pd.read_csv(project.directory / "shop.csv")
    rows = pd.concat(splits)[list(table)].astype(dict(table.dtypes))
    in_order = [t.sort_values(list(table), ignore_index=True) for t in (rows, table)]
    pd.testing.assert_frame_equal(*in_order)

    again = project.run()
    assert again.code == 0, again.output
    assert set(again.states().values()) == {"cached"}

    scored = project.command(
        "predict", "--config", "my.yaml", "--workspace", "out",
        "--input", "shop.csv", "--output", "scored",
    )  # fmt: skip
    assert scored.code == 0, scored.output
    table = pq.ParquetFile(project.directory / "scored" / "shop.csv-00000.parquet").read()
    assert table.num_rows == 400
    likely = [row["class"] == row["bought"] for row in table.to_pylist()]
    assert sum(likely) > 0.85 * len(likely)
    first = table.slice(0, 1).to_pylist()[0]
    with RunningServer("--output", str(project.directory / "out"), "--name", "shop") as server:
        row = {"price": float(first["price"]), "color": first["color"]}
        answer = server.post("/v1/models/shop:predict", json={"instances": [row]})
    assert answer.status_code == 200, answer.text
    assert answer.json()["predictions"][0]["class"] == first["class"]
