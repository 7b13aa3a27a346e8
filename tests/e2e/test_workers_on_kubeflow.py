"""A compiled pipeline whose Trainer's task starts two pods, to a pushed model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fake_cluster import FakeCluster
from support import Project

pytestmark = pytest.mark.slow

OVERLAY = """\
training: {{epochs: 12, early_stopping_patience: 0, workers: 2, recovery: {{backup_seconds: 0}}}}
kubeflow:
  image: registry.example/pipeline:1
  storage: {{claim: pipeline, path: {directory}/storage}}
  workers: {{resources: {{cpu: "1", memory: 2Gi}}}}
"""


def execute(project: Project, cluster: FakeCluster, *arguments: str) -> subprocess.Popen[str]:
    """The compiled file, by processes that find themselves in the cluster's pod `trainer`."""
    variables = {"KUBECONFIG": str(cluster.kubeconfig()), "KFP_POD_NAME": "trainer"}
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline.runners.kfp_local", *arguments],
        cwd=project.directory,
        env={**os.environ, **variables, "PYTHONPATH": str(project.code)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_a_worker(project: Project, cluster: FakeCluster) -> None:
    """As soon as both train: then there is a backup to go on from."""
    backups = project.directory / "storage/shop/backups"
    deadline = time.monotonic() + 300
    while not any(path.is_file() for path in backups.glob("*/*")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    cluster.kill(1)


def test_pods_of_a_compiled_pipeline_train_one_model(project: Project, tmp_path: Path) -> None:
    """Also if one is killed; what the Trainer's task was given, they get through the volume."""
    project.write("two.yaml", OVERLAY.format(directory=project.directory))
    configs = ("--config", "my.yaml", "--config", "two.yaml")
    compiled = project.command("compile", *configs, "--output", "two_workers.yaml")
    assert compiled.code == 0, compiled.output
    with FakeCluster(tmp_path) as cluster:
        cluster.kubelet.environment = {"PYTHONPATH": str(project.code)}
        accident = threading.Thread(target=kill_a_worker, args=(project, cluster), daemon=True)
        accident.start()
        process = execute(project, cluster, "two_workers.yaml", "--directory", "kfp")
        output, _ = process.communicate()
        assert process.returncode == 0, output
        accident.join()
        assert cluster.invalid == []
        assert cluster.left() == []
    [log] = project.directory.glob("kfp/logs/*/trainer*.log")
    assert (
        "worker 1 was killed by signal 9 (OOMKilled); restart 1 of all workers" in log.read_text()
    )
    [history] = project.directory.glob("kfp/buckets/**/history.json")
    steps = [epoch["steps"] for epoch in json.loads(history.read_text())["epochs"]]
    assert steps == [steps[0] * number for number in range(1, 13)]
    storage = project.directory / "storage/shop"
    served = json.loads((storage / "serving/served.json").read_text())
    assert (storage / "serving" / served["version"] / "saved_model.pb").exists()
    assert not list((storage / "copies").iterdir()), "they went with their use"
    [backup] = (storage / "backups").iterdir()
    assert (backup / "published").exists(), "it goes with the next run"
