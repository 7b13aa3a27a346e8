"""The component's parameters, from which its cache key is made."""

from __future__ import annotations

import json

from tfx import types
from tfx.types import standard_artifacts

from components.model_exporter.component import ModelExporter
from components.predictions.artifacts import PredictionTable
from pipeline.config import EvaluationConfig, ExportConfig, LabelConfig


def test_settings_reach_the_executor_and_hyperparameters_are_optional() -> None:
    evaluation = {"thresholds": [{"metric": "auc", "at_least": 0.5}]}
    component = ModelExporter(
        exports=[ExportConfig(format="onnx")],
        label=LabelConfig(column="y", task="binary", classes=("a", "b")),
        evaluation=EvaluationConfig.model_validate(evaluation),
        training_code="trainer_module.exporting",
        custom_config={"b": "2", "a": "1"},
        examples=types.Channel(standard_artifacts.Examples),
        transformed_examples=types.Channel(standard_artifacts.Examples),
        transform_graph=types.Channel(standard_artifacts.TransformGraph),
        schema=types.Channel(standard_artifacts.Schema),
        model=types.Channel(standard_artifacts.Model),
        predictions=types.Channel(PredictionTable),
    )
    settings = json.loads(component.exec_properties["settings"])
    assert [export["format"] for export in settings["exports"]] == ["onnx"]
    assert component.exec_properties["custom_config"] == '{"a": "1", "b": "2"}'
    assert "hyperparameters" not in component.inputs
    assert list(component.outputs) == ["exports"]
