"""The component keeps only the settings that the check depends on."""

from __future__ import annotations

from pathlib import Path

from tfx import types
from tfx.types import standard_artifacts

from components.predictions.artifacts import PredictionTable
from components.serving_check.component import ServingCheck
from pipeline.config import load_config

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


def make(*assignments: str) -> ServingCheck:
    config = load_config([TAXI], assignments)
    return ServingCheck(
        check=config.serving.check,
        columns=config.features,
        examples=types.Channel(type=standard_artifacts.Examples),
        model=types.Channel(type=standard_artifacts.Model),
        schema=types.Channel(type=standard_artifacts.Schema),
        predictions=types.Channel(type=PredictionTable),
        model_blessing=types.Channel(type=standard_artifacts.ModelBlessing),
    )


def test_the_output_is_the_artifact_of_tfx() -> None:
    assert make().outputs["blessing"].type is standard_artifacts.InfraBlessing


def test_only_limits_and_features_decide_whether_the_cache_is_used() -> None:
    same = make("training.epochs=99", "serving.keep_versions=1", "serving.server.port=1")
    assert same.exec_properties == make().exec_properties
    assert make("serving.check.seconds=9").exec_properties != make().exec_properties
