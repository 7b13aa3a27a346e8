"""Workers' pods get the Trainer's artifacts through a volume that they share."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tfx.types import standard_artifacts
from tfx.types.artifact import Artifact

from components.distributed_trainer.kubernetes.shared_copies import sweep_copies, within_reach
from components.distributed_trainer.training_job import Job
from pipeline.config.kubernetes.pods import VolumeConfig
from pipeline.core.errors import ConfigError

OWNER = {"name": "trainer", "uid": "1"}


def artifact(kind: type[Artifact], uri: Path | str) -> Artifact:
    made = kind()
    made.uri = str(uri)
    return made


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """An input and an output that only the Trainer's own pod has, and an input that all have."""
    examples = tmp_path / "own" / "examples"
    (examples / "Split-train").mkdir(parents=True)
    (examples / "Split-train" / "file").write_text("rows")
    inputs = {
        "examples": [artifact(standard_artifacts.Examples, examples)],
        "schema": [artifact(standard_artifacts.Schema, "gs://bucket/schema")],
        "base_model": [artifact(standard_artifacts.Model, tmp_path / "storage" / "served")],
        "hyperparameters": [],
    }
    inputs["examples"][0].set_string_custom_property("input_fingerprint", "abc")
    outputs = {"model": [artifact(standard_artifacts.Model, tmp_path / "own" / "model")]}
    return Job(inputs, outputs, {"module_file": "m"})


def volume(tmp_path: Path, **fields: bool) -> VolumeConfig:
    return VolumeConfig(claim="storage", path=str(tmp_path / "storage"), **fields)


def test_what_only_the_trainer_has_is_copied_there_and_back(job: Job, tmp_path: Path) -> None:
    directory = tmp_path / "storage" / "copies" / "key"
    (directory / "0").mkdir(parents=True)
    (directory / "0" / "of a killed Trainer").touch()

    with within_reach(job, [volume(tmp_path)], str(directory), OWNER) as reached:
        [examples], [model] = reached.inputs["examples"], reached.outputs["model"]
        assert [path.name for path in Path(examples.uri).rglob("*")] == ["Split-train", "file"]
        assert Path(examples.uri).is_relative_to(directory)
        assert examples.get_string_custom_property("input_fingerprint") == "abc"
        for key in ("schema", "base_model"):
            assert reached.inputs[key][0].uri == job.inputs[key][0].uri
        (Path(model.uri) / "Format-Serving").mkdir(parents=True)

    assert (tmp_path / "own" / "model" / "Format-Serving").is_dir()
    assert not list(directory.parent.iterdir())


def test_of_a_failed_training_nothing_is_taken_back(job: Job, tmp_path: Path) -> None:
    directory = tmp_path / "storage" / "artifacts"

    def train() -> None:
        with within_reach(job, [volume(tmp_path)], str(directory), OWNER) as reached:
            Path(reached.outputs["model"][0].uri).mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train()
    assert not (tmp_path / "own" / "model").exists()
    assert not directory.exists()


def test_what_all_have_is_left_where_it_is(job: Job, tmp_path: Path) -> None:
    everything = VolumeConfig(claim="storage", path=str(tmp_path))
    with within_reach(job, [everything], str(tmp_path / "storage"), OWNER) as reached:
        assert reached is job


@pytest.mark.parametrize("volumes", [{}, {"read_only": True}])
def test_without_a_volume_to_share_it_is_refused(
    job: Job, tmp_path: Path, volumes: dict[str, bool]
) -> None:
    shared = [volume(tmp_path, **volumes)] if volumes else []
    with (
        pytest.raises(
            ConfigError, match=r"cannot reach .*own/examples, nor do they share"
        ) as caught,
        within_reach(job, shared, str(tmp_path / "storage"), OWNER),
    ):
        pass
    assert "kubeflow.workers.volumes" in (caught.value.hint or "")


def test_only_what_no_training_at_work_can_own_is_swept(job: Job, tmp_path: Path) -> None:
    copies = tmp_path / "storage" / "copies"
    for name, uid, age in (("dead", "2", 10**6), ("retried", "2", 60), ("alive", "1", 10**6)):
        (copies / name).mkdir(parents=True)
        note = copies / f"{name}.json"
        note.write_text(json.dumps({"name": "trainer", "uid": uid}))
        os.utime(note, (note.stat().st_mtime - age,) * 2)
    (copies / "killed.json").touch()
    os.utime(copies / "killed.json", (0, 0))
    with within_reach(job, [volume(tmp_path)], str(copies / "key"), OWNER):
        os.utime(copies / "key.json", (0, 0))
        sweep_copies(str(copies), lambda owner: owner == OWNER)
        found = {path.name for path in copies.iterdir() if path.is_dir()}
        assert found == {"retried", "alive", "key"}
    assert not (copies / "dead.json").exists()
