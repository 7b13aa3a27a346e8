"""What an export's process does, called in this process."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from small_networks import build_network, make_batch, save
from test_conversion import make_job

from components.model_exporter.batches import write_batch
from components.model_exporter.export_process import OUTCOME, SCORES, run_export
from trainer_module.network_module import save_network


@pytest.fixture
def training_code(monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in place of the trainer's code, which would need Transform's output."""
    module = ModuleType("small_training_code")

    def train_further(inputs: Any, prune: float, aware: bool, directory: str) -> float:
        assert (inputs, prune, aware) == ({"of": "this model"}, 0.5, False)
        save_network(directory, *build_network("dnn", "binary"))
        return 0.5

    module.train_further = train_further  # type: ignore[attr-defined]
    module.sample_training_rows = lambda inputs, count: make_batch(20)  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)
    return module.__name__


def test_a_network_that_was_trained_further_is_converted(
    training_code: str, tmp_path: Path
) -> None:
    expected = save(tmp_path / "expected", "dnn", "binary").predict(make_batch(7))
    save(tmp_path / "network", "linear", "binary")
    (tmp_path / "batches").mkdir()
    (tmp_path / "work").mkdir()
    write_batch(str(tmp_path / "batches"), 0, make_batch(7))
    job = make_job(
        tmp_path,
        format="onnx",
        quantize="int8",
        prune=0.5,
        training_code=training_code,
        directory=str(tmp_path / "work"),
        inputs={"of": "this model"},
    )
    run_export(job.to_line())
    scores = np.load(tmp_path / "work" / SCORES)
    assert abs(scores - expected).max() < 0.3
    outcome = json.loads((tmp_path / "work" / OUTCOME).read_text())
    assert outcome["zeros"] == 0.5
    assert set(outcome["milliseconds"]) == {"1", "1024"}
