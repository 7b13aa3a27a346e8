"""What the page of a run on Kubeflow answers from the volume."""

from __future__ import annotations

from pathlib import Path

import pytest
from runs_for_pages import penguins

from components.served_model.changes import Change
from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord
from pipeline.config import Config
from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.report.content import Epoch, TrainingPart
from pipeline.runners.kubeflow.page.answers import answer


@pytest.fixture
def config(tmp_path: Path) -> Config:
    storage = {"claim": "pipeline", "path": str(tmp_path)}
    kubeflow = KubeflowConfig.model_validate({"storage": storage})
    return penguins().model_copy(update={"kubeflow": kubeflow})


def push(config: Config, serving: Path, *versions: str) -> None:
    for version in versions:
        (serving / version).mkdir(parents=True)
        record = ServedRecord(version, "m", "e", "s", "c", "{}", data_key="d", run_key=version)
        at = "2026-11-23T05:00:00+00:00"
        write_pointer(str(serving), record, Change("push", version, version, at, run=f"r{version}"))


def texts(config: Config, run: str = "r1", cached: TrainingPart | None = None) -> dict[str, str]:
    return {found.question: found.text for found in answer(config, run, cached)}


def test_the_way_back_is_a_command_for_a_pod_with_the_volume(
    config: Config, tmp_path: Path
) -> None:
    assert texts(config) == {}
    serving = tmp_path / config.name / "serving"
    push(config, serving, "1")
    assert texts(config)["back"].startswith("No earlier version than 1 was left")
    assert texts(config)["maker"].startswith(
        "This run made version 1. When this page was written, version 1 had been served since 23"
    )
    push(config, serving, "2")
    assert texts(config)["back"] == (
        f"`python -m pipeline rollback 1 --output {serving.parent}`, in a pod with the image and "
        "the volume, serves version 1 again, which was served before version 2: docs/versions.md."
    )
    assert texts(config)["maker"].startswith("Run r2 made version 2")


def test_a_serving_directory_of_another_name_is_no_output_directory(
    config: Config, tmp_path: Path
) -> None:
    other = tmp_path / "models"
    serving = config.serving.model_copy(update={"directory": str(other)})
    config = config.model_copy(update={"serving": serving})
    push(config, other, "1", "2")
    assert "`python -m pipeline rollback 1`, in a pod" in texts(config)["back"]


def test_a_damaged_pointer_leaves_the_cost_of_a_cached_training(
    config: Config, tmp_path: Path
) -> None:
    serving = tmp_path / config.name / "serving"
    serving.mkdir(parents=True)
    (serving / "served.json").write_text("{")
    epochs = (Epoch(1, {"seconds": 2.0}), Epoch(2, {"seconds": 3.0}))
    cached = TrainingPart("r0", epochs, 2, 2, {}, (), None, None, rows=1200)
    assert texts(config, cached=cached) == {"cost": "The last training took 5.0 s for 1,200 rows."}
