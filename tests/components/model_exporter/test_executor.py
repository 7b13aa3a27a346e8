"""The executor on real artifacts: what it writes, and what it says of each export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from exported_model import Exported

from components.model_exporter.executor import _read_hyperparameters

pytestmark = pytest.mark.slow

AWARE = "tflite-dynamic-aware-prune50"


def test_the_model_the_served_model_and_each_export_are_described(exported: Exported) -> None:
    assert list(exported.results) == ["model", "served model", "onnx", AWARE]
    assert [r.kind for r in exported.results.values()] == ["model", "served", "export", "export"]
    model, served, onnx, _ = exported.results.values()
    assert model.metrics["auc"] > 0.8
    assert served.metrics["auc"] == 0.5
    assert onnx.metrics["auc"] == pytest.approx(model.metrics["auc"], abs=1e-6)
    assert 0 < onnx.max_difference < 1e-5
    assert onnx.gzip_bytes < onnx.bytes < model.bytes
    for result in (model, onnx):
        # Without an upper bound: one row took more than a second on a busy machine.
        assert all(result.milliseconds[rows] > 0 for rows in ("1", "1024"))


def test_an_export_without_any_tolerance_fails_with_reasons_and_is_not_pushed(
    exported: Exported,
) -> None:
    onnx, aware = exported.results["onnx"], exported.results[AWARE]
    assert (onnx.passed, onnx.reasons) == (True, ())
    assert aware.passed is False
    assert all("0 is allowed" in reason for reason in aware.reasons)
    assert aware.zeros == pytest.approx(0.5, abs=0.02)
    assert aware.metrics["auc"] > 0.75, "the export fails, but it is a model"
    assert aware.gzip_bytes < onnx.gzip_bytes / 2
    names = sorted(path.name for path in exported.pushed.iterdir())
    assert names == ["manifest.json", "onnx.onnx", "transform"]


def test_the_values_of_a_search_are_read(tmp_path: Path) -> None:
    from tfx.types import standard_artifacts

    assert _read_hyperparameters({}) == {}
    (tmp_path / "best_hyperparameters.txt").write_text('{"training.epochs": 3}')
    artifact: Any = standard_artifacts.HyperParameters()
    artifact.uri = str(tmp_path)
    assert _read_hyperparameters({"hyperparameters": [artifact]}) == {"training.epochs": 3}
