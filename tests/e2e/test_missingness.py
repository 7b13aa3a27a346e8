"""A model learns a label that depends on missing values only, and the served model does so too."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import Project, write_csv

pytestmark = [pytest.mark.slow, pytest.mark.long]

CONFIG = """\
name: gaps
data:
  path: gaps.csv
  split: {train: 0.6, eval: 0.2, test: 0.2}
  types: {code: int}
features:
  "amount (net)": numeric
  code: {kind: categorical, vocabulary_size: 5}
  größe.cm: {kind: bucketized, buckets: 4}
  note: categorical
label: {column: y, task: binary, classes: [0, 1]}
training: {epochs: 30, global_batch_size: 32, learning_rate: 0.01, early_stopping_patience: 10}
evaluation:
  slices: [["größe.cm"]]
  thresholds:
    - {metric: auc, at_least: 0.95}
"""

CLIENT = """
import json, sys
import tensorflow as tf
missing = {tf.float32: float("nan"), tf.int64: -(2**63), tf.string: b"__MISSING__"}
signature = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
specs = signature.structured_input_signature[1]
answers = []
for row in json.loads(sys.argv[2]):
    tensors = {
        name: tf.constant([[missing[spec.dtype] if row[name] is None else row[name]]], spec.dtype)
        for name, spec in specs.items()
    }
    answers.append(float(signature(**tensors)["probability"][0]))
print(json.dumps(answers))
"""


def gaps(rows: int, seed: int) -> dict[str, list[object]]:
    """Returns four columns of noise; the label is whether two or more cells are missing."""
    random = np.random.default_rng(seed)
    gone = random.random((rows, 4)) < 0.4
    values = {
        # Zeros and minus ones are values like others.
        "amount (net)": random.choice([-1.0, 0.0, 1.0, 2.5], rows).tolist(),
        "code": random.choice([-1, 0, 1, 2], rows).tolist(),
        "größe.cm": random.normal(170, 10, rows).round(1).tolist(),
        "note": random.choice(["a", "b"], rows).tolist(),
    }
    table: dict[str, list[object]] = {
        name: [None if g else v for g, v in zip(gone[:, i], column, strict=True)]
        for i, (name, column) in enumerate(values.items())
    }
    table["y"] = (gone.sum(axis=1) >= 2).astype(int).tolist()
    return table


def test_a_model_learns_from_missing_values(project: Project) -> None:
    write_csv(project.directory / "gaps.csv", gaps(2000, seed=0))
    project.write("gaps.yaml", CONFIG)
    result = project.run(config="gaps.yaml")
    assert result.code == 0, result.output
    assert result.summary["metrics"][""]["auc"] > 0.95

    fresh = gaps(200, seed=1)
    label = np.array(fresh.pop("y"))
    rows = [dict(zip(fresh, cells, strict=True)) for cells in zip(*fresh.values(), strict=True)]
    for row in rows:
        if row["note"] is not None:
            row["note"] = str(row["note"])
    answer = subprocess.run(
        [sys.executable, "-I", "-c", CLIENT, result.summary["pushed"], json.dumps(rows)],
        cwd=Path("/"),
        capture_output=True,
        text=True,
        check=True,
    )
    probability = np.array(json.loads(answer.stdout.splitlines()[-1]))
    higher = probability[label == 1][:, None] > probability[label == 0][None, :]
    assert higher.mean() > 0.95
