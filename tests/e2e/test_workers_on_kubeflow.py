"""A compiled pipeline with a Tuner and a Trainer's task that starts two pods, to a pushed model.

It reads TFRecords. Other tests of compiled pipelines leave these three out.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import tensorflow as tf
from fake_cluster import FakeCluster
from support import Project

pytestmark = pytest.mark.slow

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
    """As soon as both train: then there is a backup to go on from, beside those of the search."""
    backups = project.directory / "storage/shop/backups"
    deadline = time.monotonic() + 300
    while not any(path.is_file() and not is_search(path.parent) for path in backups.glob("*/*")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    cluster.kill(1)


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
        cluster.kubelet.environment = {"PYTHONPATH": str(project.code)}
        accident = threading.Thread(target=kill_a_worker, args=(project, cluster), daemon=True)
        accident.start()
        arguments = ("two_workers.yaml", "--directory", "kfp", "--json", "outcome.json")
        process = execute(project, cluster, *arguments)
        output, _ = process.communicate()
        assert process.returncode == 0, output
        accident.join()
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
