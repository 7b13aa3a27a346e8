"""A whole run with two workers and a parameter server."""

import json
from pathlib import Path

import pytest
from support import SHOP_CONFIG, Project
from test_multi_worker import workers_of

OVERLAY = Path(__file__).parents[2] / "configs/overlays/parameter_server.yaml"

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_the_overlay_trains_a_model_that_is_pushed(project: Project) -> None:
    project.write("my.yaml", SHOP_CONFIG)
    # A thread more or less is chosen before TensorFlow starts, in the workers' processes.
    result = project.run("--config", str(OVERLAY), "--set", "training.threads.intra_op=1")
    assert result.code == 0, result.output
    assert result.summary["metrics"][""]["auc"] > 0.9
    assert workers_of(project) == {}

    history = json.loads(next(project.directory.glob("out/**/history.json")).read_text())
    steps = history["steps_per_epoch"]
    made = [epoch["steps"] for epoch in history["epochs"]]
    assert made == [steps * epoch for epoch in range(1, len(made) + 1)]
    log = next(project.directory.glob("out/logs/*/run.log")).read_text()
    assert "[chief] " in log
    assert "; restart " not in log
    [trainer] = [c for c in result.summary["components"] if c["name"] == "Trainer"]
    assert trainer["state"] == "complete"

    cached = project.run("--config", str(OVERLAY), "--set", "training.threads.intra_op=1")
    assert set(cached.states().values()) == {"cached"}
