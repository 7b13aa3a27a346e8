"""The first task refuses what later tasks would fail on after hours of work."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path

import pytest
from object_store import Bucket

from components.served_model.store.local_copy import LocalCopy
from pipeline.config import Config, load_config
from pipeline.config.sections.serving import PredictionConfig
from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.compile import compile_pipeline
from pipeline.runners.kubeflow.compiling.spec import tasks_of
from pipeline.runners.kubeflow.in_cluster.prepare import run_prepare

TAXI = Path(__file__).parents[5] / "configs/taxi.yaml"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    assignments = ["kubeflow.image=taxi:1", f"kubeflow.storage={{claim: a, path: {tmp_path}}}"]
    return load_config([TAXI], assignments)


def prepare(config: Config, directory: Path) -> dict[str, dict[str, str]]:
    """Runs the first task; returns the properties of two other tasks."""
    spec = compile_pipeline(config).spec
    given = tasks_of(spec)["prepare"]["inputs"]["parameters"]
    constants = {k: v["runtimeValue"]["constant"] for k, v in given.items() if "runtimeValue" in v}
    names = spec["components"]["comp-prepare"]["outputDefinitions"]["parameters"]
    outputs = {name: {"outputFile": str(directory / name)} for name in names}
    run_prepare(
        {"inputs": {"parameterValues": constants}, "outputs": {"parameters": outputs}},
    )
    return {name: json.loads((directory / name).read_text()) for name in ("baseline", "pusher")}


def test_prepare_leaves_only_a_lock_on_a_writable_volume(config: Config, tmp_path: Path) -> None:
    properties = prepare(config, tmp_path)
    serving = tmp_path / "taxi/serving"
    assert properties["pusher"]["serving_directory"] == str(serving)
    assert [path.name for path in serving.iterdir()] == [".push.lock"]


def test_prepare_refuses_versions_whose_pointer_is_lost(config: Config, tmp_path: Path) -> None:
    serving = tmp_path / "taxi/serving"
    for name in ("17", ".reference/17"):
        (serving / name).mkdir(parents=True)
    (serving / ".reference/17/served.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"served\.json is gone.*\(17\)"):
        prepare(config, tmp_path)


def test_prepare_makes_the_copy_of_a_serving_directory_on_a_store(
    config: Config, tmp_path: Path, bucket: Bucket
) -> None:
    address = bucket.url("models/taxi")
    serving = config.serving.model_copy(update={"directory": address})
    properties = prepare(config.model_copy(update={"serving": serving}), tmp_path)
    copy = LocalCopy.find(properties["pusher"]["serving_directory"])
    assert copy is not None
    assert copy.address == address
    assert copy.read_seen() is not None


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("taxi/serving", "serving.directory"),
        ("taxi/serving/.reference", "serving.directory"),
        ("taxi/backups", "kubeflow.storage"),
    ],
)
def test_an_unwritable_directory_is_refused_with_its_key(
    config: Config, tmp_path: Path, place: str, key: str
) -> None:
    # A file in place of the directory stops root too, unlike file modes.
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).touch()
    message = rf"^{key} {tmp_path / place}: cannot be written"
    with pytest.raises(ConfigError, match=message) as caught:
        prepare(config, tmp_path)
    assert caught.value.hint.startswith("remove the file that is in its place, or ")
    assert "let this user write" not in caught.value.hint
    assert not (tmp_path / "pusher").exists()


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.EACCES, f"as user {os.getuid()}: let this user write to the volume"),
        (errno.EPERM, f"as user {os.getuid()}: let this user write to the volume"),
        (errno.EROFS, "mount its file system so that it can be written"),
        (errno.ENAMETOOLONG, "name another directory with serving.directory"),
    ],
)
def test_only_a_user_without_the_right_is_told_to_get_it(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    def make_file(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "TemporaryFile", make_file)
    with pytest.raises(ConfigError, match="cannot be written") as caught:
        prepare(config, tmp_path)
    assert hint in caught.value.hint
    assert ("let this user write" in caught.value.hint) == ("let this user" in hint)


@pytest.mark.parametrize(
    ("output", "words"),
    [("shared", "holds other files"), ("taxi/serving/scored", "lies in the serving directory")],
)
def test_a_directory_for_predictions_that_the_last_task_would_refuse_is_refused(
    config: Config, tmp_path: Path, output: str, words: str
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "mine.txt").touch()
    wrong = {"prediction": PredictionConfig(input="/new/*.csv", output=str(tmp_path / output))}
    with pytest.raises(ConfigError, match=rf"^prediction\.output.* {words}"):
        prepare(config.model_copy(update=wrong), tmp_path)
    assert not (tmp_path / "pusher").exists()


def test_an_address_for_predictions_that_the_last_task_would_refuse_is_refused(
    config: Config, tmp_path: Path, bucket: Bucket
) -> None:
    bucket.put("shared/mine.txt", b"")
    section = PredictionConfig(input="/new/*.csv", output=bucket.url("shared"))
    with pytest.raises(ConfigError, match=r"^prediction\.output s3://.*: holds other objects"):
        prepare(config.model_copy(update={"prediction": section}), tmp_path)


def test_an_unreadable_pointer_is_refused(config: Config, tmp_path: Path) -> None:
    (tmp_path / "taxi/serving/served.json").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"^serving\.directory: .*/served\.json cannot be read"):
        prepare(config, tmp_path)
