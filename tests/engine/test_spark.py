"""Whole runs on Spark 3.5 with the master `local[2]`: equal to a local run.

The workers get the environment of the test. So they reach a store that the test has started: those
of the Flink cluster, which started before, could not.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from object_store import Bucket
from outcomes import LocalRun, check_equal, copy_of, predict
from support import Project, digest_tree

from deploy.spark.local.server import ENDPOINT, POOL, down, up

pytestmark = [pytest.mark.engine, pytest.mark.nightly]


@contextmanager
def running_spark() -> Iterator[str]:
    """Yields the assignment of `engine` for a job server with workers of its own."""
    up()
    try:
        yield f"--set=engine={{kind: spark, endpoint: '{ENDPOINT}', worker_pool: '{POOL}'}}"
    finally:
        down()


def test_a_run_on_spark_gives_what_a_local_run_gives(local: LocalRun, tmp_path: Path) -> None:
    project = copy_of(local, tmp_path)
    with running_spark() as engine:
        result = project.run(engine)
    check_equal(local[1], project, result)
    jobs = {c["name"]: len(c["jobs"]) for c in result.summary["components"] if c["jobs"]}
    assert jobs == {"ExampleGen": 1, "StatisticsGen": 1, "Transform": 2, "Evaluator": 1}


def test_workers_read_tables_and_write_predictions_in_a_store(
    local: LocalRun, tmp_path: Path, bucket: Bucket
) -> None:
    here = local[0].directory
    for file in sorted(here.glob("shop/*.csv")):
        bucket.put(f"shop/{file.name}", file.read_bytes())
    project = Project(tmp_path)
    config = (here / "my.yaml").read_text(encoding="utf-8")
    project.write("my.yaml", config.replace(str(here / "shop"), bucket.url("shop")))
    with running_spark() as engine:
        check_equal(local[1], project, project.run(engine))
        predict(project, bucket.url("shop/*.csv"), bucket.url("scored"), engine)
    predict(project, str(here / "shop/*.csv"), str(tmp_path / "scored"))
    made = digest_tree(tmp_path / "scored")
    # The records name the input, which lies elsewhere.
    expected = {name: digest for name, digest in made.items() if name.endswith(".parquet")}
    assert len(expected) == len(list(here.glob("shop/*.csv")))
    assert {name: digest_object(bucket, f"scored/{name}") for name in expected} == expected


def digest_object(bucket: Bucket, key: str) -> str:
    content = bucket.client.get_object(Bucket=bucket.name, Key=key)["Body"].read()
    return hashlib.sha256(content).hexdigest()
