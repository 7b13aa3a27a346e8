"""A whole run with two workers, one of which is killed during the training."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import SHOP_CONFIG, Project

pytestmark = pytest.mark.slow

EPOCHS = 24
CONFIG = SHOP_CONFIG.replace("epochs: 15", f"epochs: {EPOCHS}, early_stopping_patience: 0")
OVERLAY = "training: {workers: 2, recovery: {max_restarts: 1}}\n"


def workers_of(project: Project) -> dict[int, int]:
    """Returns the process ids of this project's workers, by index."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = dict(
                entry.split("=", 1) for entry in path.read_text().split("\0") if "=" in entry
            )
        except OSError:  # It has ended meanwhile, or is not ours.
            continue
        of_this_run = variables.get("PIPELINE_EVENTS", "").startswith(str(project.directory))
        if of_this_run and (config := variables.get("TF_CONFIG")):
            found[json.loads(config)["task"]["index"]] = int(path.parent.name)
    return found


def events_of(project: Project) -> list[dict[str, Any]]:
    path = next(project.directory.glob("out/logs/*/events.jsonl"), None)
    return [json.loads(line) for line in path.read_text().splitlines()] if path else []


def test_a_killed_worker_costs_its_epoch_and_not_the_run(project: Project) -> None:
    project.write("my.yaml", CONFIG)
    project.write("two.yaml", OVERLAY)
    command = [sys.executable, "-m", "pipeline", "run", "--output", "out"]
    process = subprocess.Popen(
        [*command, "--config", "my.yaml", "--config", "two.yaml", "--json", "summary.json"],
        cwd=project.directory,
        env={**os.environ, "PYTHONPATH": str(project.code)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while not any(event.get("epoch", 0) >= 3 for event in events_of(project)):
        assert process.poll() is None
        time.sleep(0.05)
    victims = workers_of(project)
    assert sorted(victims) == [0, 1]
    networks = {os.readlink(f"/proc/{pid}/ns/net") for pid in victims.values()}
    os.kill(victims[1], signal.SIGKILL)

    output, _ = process.communicate()

    assert process.returncode == 0, output
    log = next(project.directory.glob("out/logs/*/run.log")).read_text()
    assert "worker 1 was killed by signal 9; restart 1 of all workers" in log
    assert "[worker 0] " in log
    is_private = networks.isdisjoint({os.readlink("/proc/self/ns/net")})
    assert len(networks) == 1
    assert is_private == ("Whoever reaches TCP ports" not in log)
    assert workers_of(project) == {}

    history = json.loads(next(project.directory.glob("out/**/history.json")).read_text())
    assert history["replicas"] == 2
    expected = [history["steps_per_epoch"] * epoch for epoch in range(1, EPOCHS + 1)]
    assert [epoch["steps"] for epoch in history["epochs"]] == expected
    ends = [e["epoch"] for e in events_of(project) if e.get("eval_loss") is not None]
    assert sorted(set(ends)) == list(range(1, EPOCHS + 1))
    assert ends.count(1) == 1, "the restart went on from the backup"
    report = json.loads(next(project.directory.glob("out/logs/*/report.json")).read_text())
    [restart] = report["training"]["restarts"]
    assert "worker 1 was killed by signal 9" in restart["cause"]
    assert 0 < restart["seconds"] < report["seconds"]
    assert [epoch["number"] for epoch in report["training"]["epochs"]] == sorted(set(ends))
    summary = json.loads((project.directory / "summary.json").read_text())
    assert summary["metrics"][""]["auc"] > 0.9
