"""Workers' pods get the Trainer's artifacts through a volume that they share."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tfx.types import standard_artifacts
from tfx.types.artifact import Artifact

from components.distributed_trainer.kubernetes.shared_copies import (
    remove_abandoned_copies,
    share_artifacts,
)
from components.distributed_trainer.training_job import TrainingJob
from pipeline.config.kubernetes.pods import VolumeConfig
from pipeline.core.errors import ConfigError

OWNER = {"name": "trainer", "uid": "1"}


def artifact(kind: type[Artifact], uri: Path | str) -> Artifact:
    made = kind()
    made.uri = str(uri)
    return made


@pytest.fixture
def job(tmp_path: Path) -> TrainingJob:
    """Returns a job with a private input, a private output and two shared inputs."""
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
    return TrainingJob(inputs, outputs, {"module_file": "m"})


def volume(tmp_path: Path, **fields: bool) -> VolumeConfig:
    return VolumeConfig(claim="storage", path=str(tmp_path / "storage"), **fields)


def test_private_inputs_are_copied_to_the_volume_and_outputs_back(
    job: TrainingJob, tmp_path: Path
) -> None:
    directory = tmp_path / "storage" / "copies" / "key"
    (directory / "0").mkdir(parents=True)
    (directory / "0" / "of a killed Trainer").touch()

    with share_artifacts(job, [volume(tmp_path)], str(directory), OWNER) as reached:
        [examples], [model] = reached.inputs["examples"], reached.outputs["model"]
        assert [path.name for path in Path(examples.uri).rglob("*")] == ["Split-train", "file"]
        assert Path(examples.uri).is_relative_to(directory)
        assert examples.get_string_custom_property("input_fingerprint") == "abc"
        for key in ("schema", "base_model"):
            assert reached.inputs[key][0].uri == job.inputs[key][0].uri
        (Path(model.uri) / "Format-Serving").mkdir(parents=True)

    assert (tmp_path / "own" / "model" / "Format-Serving").is_dir()
    assert not list(directory.parent.iterdir())


def test_outputs_of_a_failed_training_are_not_copied_back(job: TrainingJob, tmp_path: Path) -> None:
    directory = tmp_path / "storage" / "artifacts"

    def train() -> None:
        with share_artifacts(job, [volume(tmp_path)], str(directory), OWNER) as reached:
            Path(reached.outputs["model"][0].uri).mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train()
    assert not (tmp_path / "own" / "model").exists()
    assert not directory.exists()


def test_artifacts_on_a_shared_volume_are_not_copied(job: TrainingJob, tmp_path: Path) -> None:
    everything = VolumeConfig(claim="storage", path=str(tmp_path))
    with share_artifacts(job, [everything], str(tmp_path / "storage"), OWNER) as reached:
        assert reached is job


@pytest.mark.parametrize("volumes", [{}, {"read_only": True}])
def test_private_artifacts_without_a_writable_volume_are_refused(
    job: TrainingJob, tmp_path: Path, volumes: dict[str, bool]
) -> None:
    shared = [volume(tmp_path, **volumes)] if volumes else []
    with (
        pytest.raises(ConfigError, match=r"can reach neither .*own/examples nor ") as caught,
        share_artifacts(job, shared, str(tmp_path / "storage"), OWNER),
    ):
        pass
    assert "kubeflow.workers.volumes" in (caught.value.hint or "")


def test_only_old_copies_of_ended_trainers_are_removed(job: TrainingJob, tmp_path: Path) -> None:
    copies = tmp_path / "storage" / "copies"
    for name, uid, age in (("dead", "2", 10**6), ("retried", "2", 60), ("alive", "1", 10**6)):
        (copies / name).mkdir(parents=True)
        note = copies / f"{name}.json"
        note.write_text(json.dumps({"name": "trainer", "uid": uid}))
        os.utime(note, (note.stat().st_mtime - age,) * 2)
    (copies / "killed.json").touch()
    os.utime(copies / "killed.json", (0, 0))
    with share_artifacts(job, [volume(tmp_path)], str(copies / "key"), OWNER):
        os.utime(copies / "key.json", (0, 0))
        remove_abandoned_copies(str(copies), lambda owner: owner == OWNER)
        found = {path.name for path in copies.iterdir() if path.is_dir()}
        assert found == {"retried", "alive", "key"}
    assert not (copies / "dead.json").exists()
