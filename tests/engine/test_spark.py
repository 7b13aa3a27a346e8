"""A whole run on Spark 3.5 with the master `local[2]`: equal to a local run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from outcomes import LocalRun, check_equal, copy_of

from deploy.spark.local.server import ENDPOINT, POOL, down, up

pytestmark = [pytest.mark.engine, pytest.mark.nightly]


@pytest.fixture
def spark() -> Iterator[str]:
    """The assignment of `engine` for the job server, which ends after the test."""
    up()
    try:
        yield f"--set=engine={{kind: spark, endpoint: '{ENDPOINT}', worker_pool: '{POOL}'}}"
    finally:
        down()


def test_a_run_on_spark_gives_what_a_local_run_gives(
    local: LocalRun, tmp_path: Path, spark: str
) -> None:
    project = copy_of(local, tmp_path)
    result = project.run(spark)
    check_equal(local[1], project, result)
    jobs = {c["name"]: len(c["jobs"]) for c in result.summary["components"] if c["jobs"]}
    assert jobs == {"ExampleGen": 1, "StatisticsGen": 1, "Transform": 2, "Evaluator": 1}
