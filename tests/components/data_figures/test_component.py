"""The component keeps only the settings that the figures depend on."""

from __future__ import annotations

import json
from typing import Any

from deliveries import config
from tfx import types
from tfx.types import standard_artifacts

from components.data_figures.component import DataFigures
from components.findings.artifacts import DataFindings
from components.run_figures.artifacts import RunFigures
from components.served_model.artifacts import ServedModelRecord


def make(**sections: Any) -> DataFigures:
    settings = config(**sections)
    return DataFigures(
        examples=types.Channel(type=standard_artifacts.Examples),
        statistics=types.Channel(type=standard_artifacts.ExampleStatistics),
        schema=types.Channel(type=standard_artifacts.Schema),
        findings=types.Channel(type=DataFindings),
        reference=types.Channel(type=ServedModelRecord),
        kinds=settings.kinds_with_weight_column(),
        label=settings.label,
        schema_config=settings.schema_,
        validation=settings.validation,
    )


def test_the_output_is_an_artifact_of_figures() -> None:
    assert make().outputs["figures"].type is RunFigures


def test_only_rules_and_label_decide_whether_the_cache_is_used() -> None:
    assert make().exec_properties == make(training={"epochs": 99}).exec_properties
    changed = make(validation={"numeric_drift": 0.5}).exec_properties
    assert changed != make().exec_properties
    assert json.loads(changed["rules"])["validation"]["numeric_drift"] == 0.5
