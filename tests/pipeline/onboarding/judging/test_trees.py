"""Trees see what columns say only together."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.config.sections.features import Text, Timestamp
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.judging.trees import score_trees

ROOT = Path(__file__).parents[4]
RANDOM = np.random.default_rng(3)
ROWS = 1000


def to_text(values):
    return [str(v) for v in values]


def make_baseline(columns, task, classes=()):
    label = Label("y", Guess(task, ""), Guess(classes, ""), (ROWS,), Guess(0.05, ""))
    return Baseline(label, columns["y"], len(columns), None)


def test_trees_see_a_product_that_the_baseline_does_not(to_columns):
    a, b = RANDOM.normal(size=(2, ROWS))
    columns = to_columns({"y": to_text(a * b > 0), "a": to_text(a), "b": to_text(b)})
    baseline, both = (
        make_baseline(columns, "binary", ("False", "True")),
        [columns["a"], columns["b"]],
    )
    assert baseline.score_together(both).score.value < 0.6
    found = score_trees(baseline, both)
    assert found.score.value > 0.95
    assert len(found.by_fold) == 5
    assert score_trees(baseline, both).score == found.score


@pytest.mark.parametrize(("task", "classes"), [("multiclass", ("a", "b", "c")), ("regression", ())])
def test_categories_and_gaps_are_inputs_of_trees(to_columns, task, classes):
    c = RANDOM.integers(0, 3, ROWS)
    labels = ["abc"[v] for v in c] if classes else to_text(c + 0.1 * RANDOM.normal(size=ROWS))
    seen = [f"town {v}" if i % 10 else "" for i, v in enumerate(c)]
    columns = to_columns({"y": labels, "c": seen})
    found = score_trees(make_baseline(columns, task, classes), [columns["c"]])
    assert 0.75 < found.score.value < 1


def test_words_and_parts_of_times_are_inputs_of_trees(to_columns):
    """Whole texts and moments never recur: as categories, they would tell nothing."""
    is_late, hours = RANDOM.random(ROWS) < 0.5, RANDOM.integers(0, 24, ROWS)
    texts = [f"order {i} came {'late' if late else 'in time'}" for i, late in enumerate(is_late)]
    times = [f"{np.datetime64('2020-01-01') + i} {hour:02}:10" for i, hour in enumerate(hours)]
    columns = to_columns({"y": to_text(is_late ^ (hours > 11)), "note": texts, "when": times})
    baseline = make_baseline(columns, "binary", ("False", "True"))
    both = [columns["note"], columns["when"]]
    assert abs(score_trees(baseline, both).score.value - 0.5) < 0.1
    found = score_trees(baseline, both, {"note": Text(), "when": Timestamp()})
    assert found.score.value > 0.95


def test_few_rows_are_left_to_the_baseline(to_columns):
    columns = to_columns({"y": ["0", "1"] * 50, "x": to_text(range(100))})
    assert score_trees(make_baseline(columns, "binary", ("0", "1")), [columns["x"]]) is None


def test_a_missing_library_of_openmp_is_named_with_the_way_to_install_it(tmp_path):
    package = tmp_path / "lightgbm"
    package.mkdir()
    (package / "__init__.py").write_text("import ctypes\nctypes.CDLL('libabsent.so.1')\n")
    rows = "x,y\n" + "".join(f"{i % 97},{i % 2}\n" for i in range(400))
    (tmp_path / "table.csv").write_text(rows)
    paths = os.pathsep.join(map(str, (tmp_path, ROOT)))
    words = ["--data", "table.csv", "--label", "y", "--output", "table.yaml"]
    result = subprocess.run(
        [sys.executable, "-m", "pipeline", "init", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert "LightGBM cannot be loaded: libabsent.so.1" in result.stderr
    assert "Traceback" not in result.stderr


def test_few_rows_of_a_category_tell_the_label_as_in_a_training(to_columns):
    """LightGBM's own default asks for 100 rows in each group of categories."""
    rows = 300
    town = RANDOM.integers(0, 12, rows)
    columns = to_columns({"y": to_text(town % 2), "town": [f"town {v}" for v in town]})
    found = score_trees(make_baseline(columns, "binary", ("0", "1")), [columns["town"]])
    assert found.score.value > 0.95
