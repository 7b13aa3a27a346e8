"""A run and predictions on the Flink cluster, whose workers read a store and write to it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flink import ON_FLINK
from job_service import free_port
from object_store import CREDENTIALS, Bucket, make_bucket, serve_s3
from outcomes import LocalRun, copy_of
from store_work import check_work_in_a_store

from deploy.flink.local.cluster import down, up
from deploy.flink.local.networks import choose_network
from pipeline.core.stores.client import forget_stores

pytestmark = [pytest.mark.engine, pytest.mark.nightly]


@pytest.fixture
def bucket_of_pods(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """An empty bucket that the pods reach, and a cluster that was started with its address.

    The address is one of the cluster's own network, so the store starts after the cluster.
    """
    address, port = choose_network().jobmanager, free_port()
    variables = {**CREDENTIALS, "AWS_ENDPOINT_URL": f"http://{address}:{port}"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    forget_stores()
    down()
    up()
    with serve_s3(address, port) as endpoint:
        yield make_bucket(endpoint, "flink")
    # Later tests, and users, get a cluster that knows nothing of this store.
    monkeypatch.undo()
    forget_stores()
    down()
    up()


def test_a_run_on_flink_leaves_its_output_on_a_store(
    local: LocalRun, tmp_path: Path, bucket_of_pods: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "volume"))
    project = copy_of(local, tmp_path)
    project.output, project.warm = bucket_of_pods.url("runs"), False
    first = project.run(*ON_FLINK)
    assert first.summary["status"] == "pushed", first.output
    jobs = {c["name"] for c in first.summary["components"] if c["jobs"]}
    assert jobs == {"ExampleGen", "StatisticsGen", "Transform", "Evaluator"}
    shutil.rmtree(tmp_path / "volume")
    longer = project.run(*ON_FLINK, "--set", "training.epochs=16")
    assert longer.code in (0, 4), longer.output
    states = longer.states()
    assert [states[name] for name in ("ExampleGen", "StatisticsGen", "Transform")] == ["cached"] * 3
    assert states["Evaluator"] == "complete"


def test_workers_read_tables_and_write_predictions_in_a_store(
    local: LocalRun, tmp_path: Path, bucket_of_pods: Bucket
) -> None:
    check_work_in_a_store(local, tmp_path, bucket_of_pods, *ON_FLINK)
