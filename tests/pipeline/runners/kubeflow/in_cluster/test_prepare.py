"""What the first task finds out before hours of work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.compile import compile_pipeline
from pipeline.runners.kubeflow.in_cluster.prepare import run_prepare

TAXI = Path(__file__).parents[5] / "configs/taxi.yaml"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    assignments = ["kubeflow.image=taxi:1", f"kubeflow.storage={{claim: a, path: {tmp_path}}}"]
    return load_config([TAXI], assignments)


def prepare(config: Config, directory: Path) -> dict[str, dict[str, str]]:
    """What it tells each task."""
    spec = compile_pipeline(config).spec
    given = spec["root"]["dag"]["tasks"]["prepare"]["inputs"]["parameters"]
    constants = {k: v["runtimeValue"]["constant"] for k, v in given.items() if "runtimeValue" in v}
    names = spec["components"]["comp-prepare"]["outputDefinitions"]["parameters"]
    outputs = {name: {"outputFile": str(directory / name)} for name in names}
    run_prepare(
        {"inputs": {"parameterValues": constants}, "outputs": {"parameters": outputs}},
    )
    return {name: json.loads((directory / name).read_text()) for name in ("baseline", "pusher")}


def test_a_volume_that_takes_all_is_left_with_nothing_but_a_lock(
    config: Config, tmp_path: Path
) -> None:
    told = prepare(config, tmp_path)
    serving = tmp_path / "taxi/serving"
    assert told["pusher"]["serving_directory"] == str(serving)
    assert [path.name for path in serving.iterdir()] == [".push.lock"]


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("taxi/serving", "serving.directory"),
        ("taxi/serving/.reference", "serving.directory"),
        ("taxi/backups", "kubeflow.storage"),
    ],
)
def test_where_nothing_can_be_written_is_told(
    config: Config, tmp_path: Path, place: str, key: str
) -> None:
    # For root too, whom no mode stops: a file is in the place of the directory.
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).touch()
    with pytest.raises(ConfigError, match=rf"^{key} {tmp_path / place}: cannot be written"):
        prepare(config, tmp_path)
    assert not (tmp_path / "pusher").exists()


def test_what_cannot_be_known_is_not_taken_for_nothing(config: Config, tmp_path: Path) -> None:
    (tmp_path / "taxi/serving/served.json").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"^serving\.directory: .*/served\.json cannot be read"):
        prepare(config, tmp_path)
