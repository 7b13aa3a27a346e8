"""The component keeps only the settings that the figures depend on."""

from __future__ import annotations

from pathlib import Path

from tfx import types
from tfx.types import standard_artifacts

from components.model_figures.component import ModelFigures
from components.predictions.artifacts import PredictionTable
from components.run_figures.artifacts import RunFigures
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import load_config

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


def make(*assignments: str) -> ModelFigures:
    config = load_config([TAXI], assignments)
    return ModelFigures(
        examples=types.Channel(type=standard_artifacts.Examples),
        model=types.Channel(type=standard_artifacts.Model),
        schema=types.Channel(type=standard_artifacts.Schema),
        predictions=types.Channel(type=PredictionTable),
        evaluation=types.Channel(type=standard_artifacts.ModelEvaluation),
        baseline=types.Channel(type=ServedModelRecord),
        features=config.features,
        label=config.label,
        evaluation_config=config.evaluation,
        report=config.report,
    )


def test_the_output_is_an_artifact_of_figures() -> None:
    assert make().outputs["figures"].type is RunFigures


def test_only_label_features_evaluation_and_report_decide_whether_the_cache_is_used() -> None:
    same = make("training.epochs=99", "features.fare.scale=quantile", "serving.keep_versions=1")
    assert same.exec_properties == make().exec_properties
    for change in ("report.rows=false", "evaluation.min_slice_size=7", "features.fare=bucketized"):
        assert make(change).exec_properties != make().exec_properties
