"""Runs whose output lies on an object store: machines come and go, and the output stays."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_store import Bucket
from support import SHOP_CONFIG, Project, Result, shop_table, write_csv

from pipeline.core.files import is_lock_held

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches"


@pytest.fixture
def project(tmp_path: Path, bucket: Bucket, caches: Path) -> Project:
    project = Project(tmp_path, output=bucket.url("runs/shop"), warm=False)
    write_csv(tmp_path / "shop.csv", shop_table())
    project.write("my.yaml", SHOP_CONFIG)
    return project


def made(result: Result) -> set[str]:
    """Returns the components that worked."""
    return {name for name, state in result.states().items() if state == "complete"}


def test_machines_that_know_nothing_continue_with_the_output(
    project: Project, caches: Path
) -> None:
    first = project.run()
    assert first.summary["status"] == "pushed", first.output
    assert f"All files of the run: {project.output}" in first.output
    version = Path(first.summary["pushed"]).name

    shutil.rmtree(caches)
    again = project.run()
    assert again.code == 0, again.output
    assert not made(again), again.output

    shutil.rmtree(caches)
    longer = project.run("--set", "training.epochs=3")
    assert longer.code in (0, 4), longer.output
    assert "Trainer" in made(longer)
    assert {"ExampleGen", "StatisticsGen", "Transform"}.isdisjoint(made(longer)), longer.output

    shutil.rmtree(caches)
    listed = project.command("runs", "--output", project.output, "--json")
    runs = json.loads(listed.output)
    assert len(runs) == 3, listed.output
    assert runs[0]["version"] == version
    compared = project.command(
        "report", "--output", project.output, "--compare", runs[0]["run"], runs[2]["run"]
    )
    assert compared.code == 0, compared.output
    traced = project.command("lineage", version, "--output", project.output, "--json")
    assert traced.code == 0, traced.output
    scored = project.command(
        "predict", "--workspace", project.output, "--input", "shop.csv", "--output", "scored"
    )
    assert scored.code == 0, scored.output
    kept = project.command("gc", "--output", project.output, "--keep", "1", "--yes")
    assert kept.code == 0, kept.output

    shutil.rmtree(caches)
    left = project.command("runs", "--output", project.output, "--json")
    assert len(json.loads(left.output)) < 3, kept.output
    last = project.run("--set", "training.epochs=3")
    assert "Trainer" not in made(last), last.output


def test_a_machine_that_dies_loses_the_component_at_work_alone(
    project: Project, caches: Path, bucket: Bucket
) -> None:
    with _run_until_transform_is_stored(project, bucket) as process:
        os.killpg(process.pid, signal.SIGKILL)
    end_orphans(caches)
    shutil.rmtree(caches)
    # Nobody renews the mark any more: without this line, the next run watches it for 30 seconds.
    bucket.client.delete_object(Bucket=bucket.name, Key="runs/shop/.owner")
    again = project.run()
    assert again.summary["status"] == "pushed", again.output
    assert "Trainer" in made(again)
    assert {"ExampleGen", "StatisticsGen", "Transform"}.isdisjoint(made(again)), again.output


@contextlib.contextmanager
def _run_until_transform_is_stored(
    project: Project, bucket: Bucket
) -> Iterator[subprocess.Popen[bytes]]:
    """Yields a run that trains for minutes, when the store has the output of Transform."""
    command = [
        sys.executable, "-m", "pipeline", "run", "--config", "my.yaml", "--output", project.output,
        "--set", "training.epochs=100000", "--set", "training.early_stopping_patience=0",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(project.code)}
    process = subprocess.Popen(
        command, cwd=project.directory, env=environment, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 300
        while not _has_transform(bucket):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.5)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _has_transform(bucket: Bucket) -> bool:
    try:
        found = bucket.client.get_object(Bucket=bucket.name, Key="runs/shop/output.json")
    except bucket.client.exceptions.NoSuchKey:
        return False
    units = json.loads(found["Body"].read())["units"]
    return any("/Transform/transformed_examples/" in unit for unit in units)


def end_orphans(caches: Path) -> None:
    """Waits for the DAG process, which ends after its parent's death."""
    (lock,) = caches.glob("run-outputs/*/.lock")
    deadline = time.monotonic() + 60
    while is_lock_held(lock):
        assert time.monotonic() < deadline
        time.sleep(0.2)
