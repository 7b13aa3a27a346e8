"""Processes that convert: an abort is an answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from small_networks import make_batch, save

from components.model_exporter import conversion
from components.model_exporter.batches import write_batch
from components.model_exporter.conversion import convert
from components.model_exporter.export_process import ExportJob


def make_job(place: Path, **changes: Any) -> ExportJob:
    """Returns the job of a small network, which needs no training code."""
    fields: dict[str, Any] = {
        "format": "tflite",
        "quantize": "dynamic",
        "network": str(place / "network"),
        "batches": str(place / "batches"),
        "file": str(place / "x.tflite"),
        "directory": "",
        "prune": None,
        "quantization_aware": False,
        "training_code": "trainer_module.exporting",
        "inputs": {},
    }
    return ExportJob(**(fields | changes))


@pytest.mark.slow
def test_a_process_converts_runs_and_measures(tmp_path: Path) -> None:
    network = save(tmp_path / "network", "linear", "multiclass")
    (tmp_path / "batches").mkdir()
    for number in range(2):
        write_batch(str(tmp_path / "batches"), number, make_batch(7, number))
    found = convert("tflite-dynamic", make_job(tmp_path))
    assert found.failure == ""
    assert found.scores is not None
    assert found.scores.shape == (14, 3)
    assert abs(found.scores[7:] - network.predict(make_batch(7, 1))).max() < 0.1
    assert set(found.outcome.milliseconds) == {"1", "1024"}
    assert (tmp_path / "x.tflite").exists()


def test_an_aborted_process_is_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    abort = (sys.executable, "-c", "import os; os.abort()")
    monkeypatch.setattr(conversion, "_COMMAND", abort)
    found = convert("tflite-int8", make_job(tmp_path, quantize="int8"))
    assert found.scores is None
    assert found.failure == ("the network cannot be converted: the process was killed by signal 6")
    (tmp_path / "x.tflite").write_bytes(b"half")
    found = convert("tflite-int8", make_job(tmp_path, quantize="int8"))
    assert found.failure.startswith("the file cannot be run: ")
