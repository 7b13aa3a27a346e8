"""A whole run of boosted trees: search, training, evaluation, push, page."""

import json
from pathlib import Path

import pytest
from support import SHOP_CONFIG, Project

pytestmark = [pytest.mark.slow, pytest.mark.long]

CONFIG = (
    SHOP_CONFIG
    + """\
model: {family: trees, trees: {iterations: 60, min_leaf_rows: 5}}
tuning:
  max_trials: 2
  search:
    model.trees.learning_rate: {min: 0.05, max: 0.5, log: true}
"""
)


def test_trees_are_searched_trained_and_pushed_and_an_unchanged_run_is_cached(
    project: Project,
) -> None:
    project.write("my.yaml", CONFIG)
    result = project.run()
    assert result.code == 0, result.output
    assert "does not read training.epochs, training.global_batch_size" in result.output
    assert "iteration" in result.output
    rows = result.summary["tuning"]["trials"]
    assert {row["status"] for row in rows} == {"done"}
    best = min(rows, key=lambda row: row["objective"])
    history = json.loads(project.find_output("Trainer", "history.json").read_text())
    assert history["tuned"] == best["values"]
    reached = history["epochs"][history["best_epoch"] - 1]["eval_loss"]
    assert reached == pytest.approx(best["objective"], rel=1e-9), "training repeats the best trial"

    training = result.report()["training"]
    assert training["unit"] == "iteration"
    assert training["planned_epochs"] == 60
    assert list(training["importance"]["gain"]) == ["price", "color"]
    page = Path(result.summary["report"]).read_text(encoding="utf-8")
    assert "the trees up to iteration" in page
    assert "Importance of the columns" in page

    again = project.run()
    assert again.code == 0, again.output
    assert set(again.states().values()) == {"cached"}
