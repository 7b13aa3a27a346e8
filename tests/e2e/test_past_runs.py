"""Real runs are listed, traced and removed, and what stays is still taken from the cache."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import SHOP_CONFIG, Project, shop_table, write_csv

pytestmark = [pytest.mark.slow, pytest.mark.long]

UNREACHABLE = ("--set", "evaluation.thresholds=[{metric: auc, at_least: 1.0}]")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A push, two models that were not blessed, and a run that found the model served."""
    project = Project(tmp_path_factory.mktemp("history"))
    write_csv(project.directory / "shop.csv", shop_table())
    project.write("my.yaml", SHOP_CONFIG)
    assert project.run().code == 0
    for seed in (7, 8):
        assert project.run("--set", f"training.seed={seed}", *UNREACHABLE).code == 4
    assert project.run().code == 0
    return project


def listed(project: Project, *arguments: str) -> list[dict[str, Any]]:
    result = project.command("runs", "--output", project.output, "--json", *arguments)
    return list(json.loads(result.output))


def lineage(project: Project, thing: str) -> dict[str, Any]:
    result = project.command("lineage", thing, "--output", project.output, "--json")
    return dict(json.loads(result.output))


def used_bytes(directory: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in [directory, *directory.rglob("*")])


def check_live_artifacts(project: Project) -> None:
    live = project.live_artifacts()
    for artifact in project.store().get_artifacts():
        assert Path(artifact.uri).is_dir() == (artifact.id in live), artifact.uri


def test_runs_tell_what_happened(project: Project) -> None:
    statuses = ["pushed", "not blessed", "not blessed", "already served"]
    runs = listed(project)
    assert [run["status"] for run in runs] == statuses
    assert [run["served"] for run in runs] == ["now", "", "", "now"]
    assert all(run["deciding"] == ["auc"] and 0.5 < run["metrics"]["auc"] < 1 for run in runs)
    assert all(run["seconds"] > 1 and run["started"] < runs[-1]["started"] for run in runs[:-1])
    assert listed(project, "--config", "my.yaml", "--status", "not-blessed") == runs[1:3]


def test_a_model_is_traced_to_its_table_and_its_run(project: Project) -> None:
    first, second, *_ = listed(project)
    traced = lineage(project, "served")
    trainer = next(e for e in traced["executions"].values() if e["component"] == "Trainer")
    assert (trainer["run"], trainer["facts"]["epochs"]) == (first["run"], "15")
    assert any(
        (e["data"] or {}).get("files") == ["shop.csv"] for e in traced["executions"].values()
    )
    traced = lineage(project, second["run"])
    made_by = {e["component"]: e["run"] for e in traced["executions"].values()}
    assert (made_by["Trainer"], made_by["ExampleGen"]) == (second["run"], first["run"])


def test_gc_that_is_killed_and_repeated_leaves_what_is_needed(project: Project) -> None:
    runs = listed(project)
    artifacts = lineage(project, runs[1]["run"])["artifacts"].values()
    (model,) = (artifact["id"] for artifact in artifacts if artifact["type"] == "Model")
    before = used_bytes(project.directory / project.output)
    chance = random.Random(5)
    command = [sys.executable, "-m", "pipeline", "gc", "--keep", "1", "--yes", "--output"]
    for _ in range(6):
        arguments = [*command, project.directory / project.output]
        process = subprocess.Popen(arguments, cwd=project.code, stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.2, 0.9))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert listed(project)[-1]["status"] == "already served"
    # The run sweeps what the killed ones have marked and not removed.
    result = project.run()
    assert (result.code, {*result.states().values()}) == (0, {"cached"})
    result = project.command("gc", "--output", project.output, "--keep", "2", "--yes")
    assert result.code == 0, result.output
    check_live_artifacts(project)
    assert used_bytes(project.directory / project.output) < before
    assert [run["status"] for run in listed(project)] == ["pushed", *["already served"] * 2]
    gone = lineage(project, str(model))
    assert gone["artifacts"][str(model)]["state"] == "deleted"
    tree = project.command("lineage", str(model), "--output", project.output).output
    assert f"Model {model}  deleted  by Trainer, complete" in tree


def test_a_removed_model_is_trained_again_and_retention_keeps_the_disk_small(
    project: Project,
) -> None:
    again = ("--set", "training.seed=7", *UNREACHABLE)
    result = project.run(*again)
    assert (result.code, result.states()["Trainer"]) == (4, "complete")
    assert result.states()["Transform"] == "cached"
    result = project.run(*again)
    assert (result.code, {*result.states().values()}) == (4, {"cached"})
    result = project.run("--set", "retention.keep_runs=1")
    assert (result.code, {*result.states().values()}) == (0, {"cached"})
    assert "Removed 4 old runs, " in result.output
    removed = result.summary["removed"]
    assert removed["runs"] == 4
    assert removed["bytes"] > 100_000
    check_live_artifacts(project)
    assert [run["status"] for run in listed(project)] == ["pushed", "already served"]
    # The version still leads to everything that it was made from.
    states = {artifact["state"] for artifact in lineage(project, "served")["artifacts"].values()}
    assert states == {"live"}
