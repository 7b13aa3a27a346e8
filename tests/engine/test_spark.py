"""Whole runs on Spark 3.5 with the master `local[2]`: equal to a local run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from object_store import Bucket
from outcomes import LocalRun, check_equal, copy_of
from store_work import check_work_in_a_store

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
    with running_spark() as engine:
        check_work_in_a_store(local, tmp_path, bucket, engine)
