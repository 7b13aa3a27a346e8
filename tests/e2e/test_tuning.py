"""A search in a whole run: a killed trial and a killed run lose no finished trial."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support import SHOP_CONFIG, Project

pytestmark = [pytest.mark.slow, pytest.mark.long]

CONFIG = (
    SHOP_CONFIG.replace("epochs: 15", "epochs: 80, early_stopping_patience: 0")
    + """\
tuning:
  max_trials: 3
  parallel: 2
  search:
    training.learning_rate: {min: 0.0001, max: 0.05, log: true}
    model.hidden_units: {choice: [[8], [16, 8]]}
"""
)


def processes_of(project: Project) -> dict[int, dict[str, str]]:
    """Returns the environment variables of this project's processes, by process id."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            entries = path.read_text().split("\0")
        except OSError:  # It has ended meanwhile, or is not ours.
            continue
        variables = dict(entry.split("=", 1) for entry in entries if "=" in entry)
        if variables.get("PIPELINE_EVENTS", "").startswith(str(project.directory)):
            found[int(path.parent.name)] = variables
    return found


def process_of_trial(project: Project, name: str) -> int:
    for pid, variables in processes_of(project).items():
        if json.loads(variables.get("PIPELINE_EVENT_FIELDS", "{}")).get("trial") == name:
            return pid
    raise AssertionError(f"trial {name} has no process")


def events_of(project: Project, run: int) -> list[dict[str, Any]]:
    paths = sorted(project.directory.glob("out/logs/*/events.jsonl"))
    lines = paths[run].read_text().splitlines() if len(paths) > run else []
    return [json.loads(line) for line in lines]


def wait_for(process: "subprocess.Popen[str]", project: Project, **fields: Any) -> dict[str, Any]:
    """Returns the first event of the first run with these fields."""
    while True:
        for event in events_of(project, 0):
            if fields.items() <= event.items():
                return event
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def test_killed_trials_and_a_killed_search_cost_no_trial(project: Project) -> None:
    project.write("my.yaml", CONFIG)
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "run", "--output", "out", "--config", "my.yaml"],
        cwd=project.directory,
        env={**os.environ, "PYTHONPATH": str(project.code)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    first = wait_for(process, project, event="progress", component="Tuner")["trial"]
    kill([process_of_trial(project, first)])
    lost = wait_for(process, project, event="trial", trial=first, status="lost")
    assert lost["message"] == "its process was killed by signal 9"
    done = wait_for(process, project, event="trial", status="done")
    kill([process.pid, *processes_of(project)])
    process.communicate()

    result = project.run()

    assert result.code == 0, result.output
    assert processes_of(project) == {}
    assert "Tuner goes on after 1 trial of a search that was interrupted" in result.output
    begun = {e["trial"] for e in events_of(project, 1) if e["event"] == "trial"}
    assert done["trial"] not in begun
    tuning = result.summary["tuning"]
    rows = {row["trial"]: row for row in tuning["trials"]}
    assert sorted(rows) == ["1", "2", "3"]
    assert {row["status"] for row in rows.values()} == {"done"}
    assert rows[done["trial"]]["runs"] == done["runs"]
    assert rows[first]["runs"] >= 2
    assert rows[first]["measures"]["steps"] == rows[done["trial"]]["measures"]["steps"]
    best = min(rows.values(), key=lambda row: row["objective"])
    assert (tuning["best"], tuning["best_values"]) == (best["trial"], best["values"])

    history = json.loads(next(project.directory.glob("out/**/history.json")).read_text())
    assert history["tuned"] == best["values"]
    reached = history["epochs"][history["best_epoch"] - 1]["eval_loss"]
    assert reached == pytest.approx(best["objective"], abs=1e-5), "training repeats the best trial"
    assert list(project.directory.glob("out/backups/*")) == []

    again = project.command("tune", "--config", "my.yaml", "--output", "out", "--json", "s.json")
    assert again.code == 0, again.output
    summary = json.loads((project.directory / "s.json").read_text())
    assert summary["status"] == "tuned"
    assert summary["tuning"] == tuning
    report = json.loads(Path(summary["report"]).with_suffix(".json").read_text())
    assert report["training"]["search"]["best"] == tuning["best"]
    assert len(report["training"]["search"]["trials"]) == 3
    assert report["verdict"]["next_steps"][0]["command"].endswith(
        "-m pipeline run --config my.yaml --output out"
    )
    states = {c["name"]: c["state"] for c in summary["components"]}
    assert states["Tuner"] == "cached"
    assert "Trainer" not in states
    rate = best["values"]["training.learning_rate"]
    assert f"--set training.learning_rate={rate}" in again.output
    assert f"  training: {{learning_rate: {rate}}}" in again.output
