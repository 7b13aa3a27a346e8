"""A table of 500 columns: `init` and `run` end well."""

import numpy as np
import pytest
from support import Project, write_csv

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from components.run_figures.figures_file import read_figures

pytestmark = [pytest.mark.slow, pytest.mark.long]

ROWS = 600
KINDS = {"number": 395, "category": 90, "flag": 8, "day": 4, "text": 2}
WORDS = np.array("the quick brown fox jumps over a lazy dog and runs into deep dark woods".split())


def wide_table() -> dict[str, list[object]]:
    """499 columns and a label that a tenth of the numbers and categories decide."""
    random = np.random.default_rng(0)
    table: dict[str, list[object]] = {}
    signal = np.zeros(ROWS)
    for i in range(KINDS["number"]):
        shapes = (random.normal(10, 3, ROWS), random.gamma(2, 5, ROWS), random.poisson(40, ROWS))
        table[f"number {i}"] = shapes[i % 3].round(2).tolist()
        signal += (i % 10 == 0) * (shapes[i % 3] - shapes[i % 3].mean()) / shapes[i % 3].std()
    for i in range(KINDS["category"]):
        level = random.integers(0, (3, 12, 40)[i % 3], ROWS)
        table[f"category {i}"] = [f"level {n}" for n in level]
        signal += (i % 10 == 0) * (level % 3 - 1.0)
    for i in range(KINDS["flag"]):
        table[f"flag {i}"] = random.choice(["yes", "no"], ROWS).tolist()
    for i in range(KINDS["day"]):
        days = np.datetime64("2025-01-01") + random.integers(0, 400, ROWS)
        table[f"day {i}"] = days.astype(str).tolist()
    for i in range(KINDS["text"]):
        table[f"text {i}"] = [" ".join(random.choice(WORDS, 6)) for _ in range(ROWS)]
    for name in list(table)[::7]:
        table[name] = [None if random.random() < 0.1 else cell for cell in table[name]]
    table["label"] = np.where(signal + random.normal(0, 2, ROWS) > 0, "good", "bad").tolist()
    return table


def test_init_and_run_succeed_with_500_columns(project: Project) -> None:
    table = wide_table()
    assert len(table) == 500
    write_csv(project.directory / "wide.csv", table)
    arguments = ("--data", "wide.csv", "--label", "label", "--output", "wide.yaml")
    made = project.command("init", *arguments)
    assert made.code == 0, made.output
    # How long it is trained says nothing of the columns, but decides whether the bound is met.
    short = (
        "--set",
        "training.epochs=2",
        "--set",
        "evaluation.thresholds=[{metric: auc, at_least: 0}]",
    )
    result = project.run(*short, config="wide.yaml")
    assert result.code == 0, result.output
    data = read_figures(project.find_output("DataFigures", "data_figures.json"), DataFigures)
    model = read_figures(project.find_output("ModelFigures", "model_figures.json"), ModelFigures)
    assert data.notes == model.notes == ()
    assert len(data.columns) == len(table)
    assert len(model.importance) > 450
