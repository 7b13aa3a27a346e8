"""A compiled pipeline with a Tuner and a Trainer's task that starts two pods, to a pushed model.

It reads TFRecords. Other tests of compiled pipelines leave these three out.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf
from fake_cluster import FakeCluster
from support import Project, slow_environment, wait_and_strike

pytestmark = [pytest.mark.slow, pytest.mark.long]

OVERLAY = """\
data: {{source: tfrecord, path: shop.tfrecord.gz, split: {{train: 0.6, eval: 0.2, test: 0.2}}}}
training: {{epochs: 12, early_stopping_patience: 0, workers: 2, recovery: {{backup_seconds: 0}}}}
tuning:
  max_trials: 2
  epochs: 2
  search: {{training.learning_rate: {{choice: [0.01, 0.02]}}}}
kubeflow:
  image: registry.example/pipeline:1
  storage: {{claim: pipeline, path: {directory}/storage}}
  workers: {{resources: {{cpu: "1", memory: 2Gi}}}}
"""


def write_tfrecord(table: Path, path: Path) -> None:
    with table.open() as file, tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for row in csv.DictReader(file):
            example = tf.train.Example()
            feature = example.features.feature
            feature["price"].float_list.value.append(float(row["price"]))
            feature["color"].bytes_list.value.append(row["color"].encode())
            feature["bought"].bytes_list.value.append(row["bought"].encode())
            writer.write(example.SerializeToString())


def execute_and_kill_a_worker(
    project: Project, cluster: FakeCluster, *arguments: str
) -> tuple[int, str]:
    """Runs the compiled file by processes that find themselves in the cluster's pod `trainer`.

    One worker is killed when the chief is at its second backup.
    """
    place = project.directory / "slow"
    cluster.kubelet.environment = slow_environment(project, "Trainer", "backup", place)
    variables = {"KUBECONFIG": str(cluster.kubeconfig()), "KFP_POD_NAME": "trainer"}
    log = project.directory / "executor.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.runners.kfp_local", *arguments],
            cwd=project.directory,
            env={**os.environ, **variables, "PYTHONPATH": str(project.code)},
            stdout=file,
            stderr=subprocess.STDOUT,
            text=True,
        )
    wait_and_strike(process, place, lambda _: cluster.kill(1))
    return process.returncode, log.read_text(encoding="utf-8")


def is_search(backup: Path) -> bool:
    return backup.name.startswith("search-")


def test_pods_of_a_compiled_pipeline_train_one_model_with_the_tuners_values(
    project: Project, tmp_path: Path
) -> None:
    """Also if one is killed; what the Trainer's task was given, they get through the volume."""
    write_tfrecord(project.directory / "shop.csv", project.directory / "shop.tfrecord.gz")
    project.write("two.yaml", OVERLAY.format(directory=project.directory))
    configs = ("--config", "my.yaml", "--config", "two.yaml")
    compiled = project.command("compile", *configs, "--output", "two_workers.yaml")
    assert compiled.code == 0, compiled.output
    with FakeCluster(tmp_path) as cluster:
        arguments = ("two_workers.yaml", "--directory", "kfp", "--json", "outcome.json")
        code, output = execute_and_kill_a_worker(project, cluster, *arguments)
        assert code == 0, output
        assert cluster.invalid == []
        assert cluster.left() == []
    outcome = json.loads((project.directory / "outcome.json").read_text())
    assert outcome["tuner"]["state"] == "ran"
    [log] = project.directory.glob("kfp/logs/*/trainer*.log")
    assert (
        "worker 1 was killed by signal 9 (OOMKilled); restart 1 of all workers" in log.read_text()
    )
    [history] = project.directory.glob("kfp/buckets/**/history.json")
    told = json.loads(history.read_text())
    steps = [epoch["steps"] for epoch in told["epochs"]]
    assert steps == [steps[0] * number for number in range(1, 13)]
    assert told["tuned"]["training.learning_rate"] in (0.01, 0.02)
    storage = project.directory / "storage/shop"
    assert len(ended_epochs(storage)) <= 12 + 1, "it went on from the last backup"
    served = json.loads((storage / "serving/served.json").read_text())
    model = tf.saved_model.load(str(storage / "serving" / served["version"]))
    assert "serving_default" in model.signatures
    assert not list((storage / "copies").iterdir()), "they went with their use"
    backups = list((storage / "backups").iterdir())
    assert sorted(map(is_search, backups)) == [False, True]
    assert all((backup / "published").exists() for backup in backups), "they go with the next run"


def ended_epochs(storage: Path) -> list[int]:
    """Returns the epochs in the order of their ends; a repeated epoch occurs again."""
    [events] = storage.glob("runs/*/tasks/Trainer/events.jsonl")
    lines = map(json.loads, events.read_text().splitlines())
    return [line["epoch"] for line in lines if line.get("eval_loss") is not None]
