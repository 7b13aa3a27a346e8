"""A compiled pipeline with examples from TFRecord and a Tuner, which other tests leave out."""

import csv
import json
from pathlib import Path

import pytest
import tensorflow as tf
from support import Project
from tasks import Cluster

pytestmark = pytest.mark.slow

OVERLAY = """\
data: {{source: tfrecord, path: shop.tfrecord.gz, split: {{train: 0.6, eval: 0.2, test: 0.2}}}}
tuning:
  max_trials: 2
  epochs: 2
  search: {{training.learning_rate: {{choice: [0.01, 0.02]}}}}
kubeflow:
  image: shop:1
  storage: {{claim: pipeline, path: {storage}}}
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


def test_the_trainers_task_trains_with_the_values_of_the_tuners_task(project: Project) -> None:
    write_tfrecord(project.directory / "shop.csv", project.directory / "shop.tfrecord.gz")
    project.write("search.yaml", OVERLAY.format(storage=project.directory / "volume"))
    configs = ("--config", "my.yaml", "--config", "search.yaml")
    compiled = project.command("compile", *configs, "--output", "search-of-shop.yaml")
    assert compiled.code == 0, compiled.output

    done = Cluster(project, file="search-of-shop.yaml").run()

    assert done.code == 0, done.output
    assert "tuner" in done.ran
    [history] = project.directory.glob("cluster/buckets/**/history.json")
    tuned = json.loads(history.read_text())["tuned"]
    assert tuned["training.learning_rate"] in (0.01, 0.02)
    [served] = project.directory.glob("volume/shop/serving/*/saved_model.pb")
    assert served.stat().st_size > 0
