"""The metrics that decide are written with intervals, for the push history."""

from pathlib import Path

import numpy as np
import pytest

from components.predictions import deciding_metrics
from components.predictions.bootstrap import bootstrap
from components.predictions.deciding_metrics import (
    measure_deciding_metrics,
    read_deciding_metrics,
    write_deciding_metrics,
)
from components.predictions.table import read_predictions, write_part
from pipeline.config import LabelConfig

LABEL = LabelConfig(column="bought", task="binary", classes=("0", "1"))
RANDOM = np.random.default_rng(0)
ALLOWED = {"auc": 0.01, "log_loss": None}


def write_table(directory: Path, rows: int) -> str:
    directory.mkdir(exist_ok=True)
    labels = RANDOM.integers(0, 2, rows)
    served, candidate = (np.clip(labels * 0.3 + RANDOM.random(rows) * 0.7, 0, 1) for _ in "ab")
    write_part(
        str(directory), LABEL, "test", np.arange(rows), labels, candidate.astype(np.float32),
        served.astype(np.float32), {},
    )  # fmt: skip
    return str(directory)


def test_values_are_the_evaluators_and_intervals_are_those_of_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write_table(tmp_path, 8000)
    whole = bootstrap(read_predictions(table)).candidate["auc"]
    monkeypatch.setattr(deciding_metrics, "_MOST_ROWS", 2000)
    found = measure_deciding_metrics(table, ALLOWED, {"auc": 0.8, "log_loss": 0.3, "f1": 1}, {})
    assert (found.split, found.examples, found.served) == ("test", 8000, None)
    assert found.candidate.keys() == ALLOWED.keys()
    auc = found.candidate["auc"]
    assert auc.value == 0.8
    assert auc.low
    assert auc.high
    assert whole.high
    assert auc.high - auc.low == pytest.approx(whole.high - (whole.low or 0), rel=0.3)


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = write_table(tmp_path / "table", 200)
    values = {"auc": 0.8, "log_loss": float("nan")}
    found = measure_deciding_metrics(table, ALLOWED, values, {"auc": 0.7})
    assert found.served
    assert found.served["auc"].value == 0.7
    assert found.candidate["log_loss"].value is None
    write_deciding_metrics(str(tmp_path), found)
    assert read_deciding_metrics(str(tmp_path)) == found


def test_an_evaluation_without_the_file_has_none(tmp_path: Path) -> None:
    assert read_deciding_metrics(str(tmp_path)) is None
    assert read_deciding_metrics("s3://bucket/evaluation") is None
    (tmp_path / "deciding_metrics.json").write_text("{")
    assert read_deciding_metrics(str(tmp_path)) is None
