"""Command lines that start a task."""

from __future__ import annotations

import dataclasses
import stat
import tempfile
from pathlib import Path

import pytest
from small_pipeline import COMPONENTS, TASKS, write_pipeline

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.spec import Task, read_pipeline
from pipeline.runners.kfp_local.starters import ContainerStarter, ProcessStarter


@pytest.fixture
def task(tmp_path: Path) -> Task:
    container = {**COMPONENTS["make"]["container"], "env": [{"name": "A", "value": "1"}]}
    components = {**COMPONENTS, "make": {**COMPONENTS["make"], "container": container}}
    file = write_pipeline(tmp_path / "pipeline.yaml", components, TASKS)
    mount = {"pvcMount": [{"constant": "claim", "mountPath": str(tmp_path / "mounted")}]}
    first = read_pipeline(file).tasks[0]
    return dataclasses.replace(first, platform=mount)


def test_a_container_writes_only_to_its_staging_directories_and_volumes(
    tmp_path: Path, task: Task
) -> None:
    starter = ContainerStarter.of("image:1", "podman run --rm", tmp_path / "volumes")
    command = starter.command(task, ["python", "-c", "x"], tmp_path / "staging")
    assert command[:3] == ["podman", "run", "--rm"]
    assert "--read-only" in command
    assert "--env=A=1" in command
    assert f"--volume={tmp_path}/volumes/claim:{tmp_path}/mounted" in command
    assert f"--volume={tmp_path}/staging/s3:/s3" in command
    assert command[-4:] == ["--entrypoint=python", "image:1", "-c", "x"]
    assert stat.S_IMODE((tmp_path / "volumes/claim").stat().st_mode) == 0o1777
    # Other users of this machine do not reach the claim.
    assert stat.S_IMODE((tmp_path / "volumes").stat().st_mode) == 0o700
    assert starter.task_root(tmp_path / "staging") == Path("/")


@pytest.mark.parametrize(("mode", "warns"), [(0o755, True), (0o700, False)])
def test_a_claim_that_all_users_can_write_to_has_a_warning(
    task: Task, caplog: pytest.LogCaptureFixture, mode: int, warns: bool
) -> None:
    # Not below pytest's own directory, which is closed to other users.
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(mode)
        starter = ContainerStarter.of("image:1", "podman run --rm", Path(directory))
        for _ in range(2):
            starter.command(task, ["python"], Path(directory))
        assert stat.S_IMODE(Path(directory).stat().st_mode) == mode, "it is the user's directory"
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == int(warns)
    assert all(f"`chmod 700 {directory}`" in warning for warning in warnings)


def test_a_process_gets_its_variables_and_its_volume(tmp_path: Path, task: Task) -> None:
    starter = ProcessStarter()
    assert starter.command(task, ["python"], tmp_path) == ["python"]
    assert (tmp_path / "mounted").is_dir()
    environment = starter.environment(task, tmp_path)
    assert (environment["A"], environment["PIPELINE_STAGING_ROOT"]) == ("1", str(tmp_path))


def test_a_volume_that_cannot_be_created_is_refused(tmp_path: Path, task: Task) -> None:
    (tmp_path / "mounted").touch()
    with pytest.raises(ConfigError, match=r"^volume .*mounted: cannot be created"):
        ProcessStarter().command(task, ["python"], tmp_path)
