"""Outputs that Kubeflow's pages show."""

from __future__ import annotations

from typing import Any

from pipeline.runners.kubeflow.compiling.report_outputs import add_report_outputs

Json = dict[str, Any]


def test_only_reporting_components_get_report_outputs(raw: Json) -> None:
    raw["components"]["Evaluator"] = {"outputDefinitions": {"artifacts": {"evaluation": {}}}}
    spec = add_report_outputs(raw, classifies=True)
    outputs = spec["components"]["Evaluator"]["outputDefinitions"]["artifacts"]
    assert set(outputs) == {"evaluation", "report", "metrics"}
    assert spec["components"]["Pusher"] == raw["components"]["Pusher"]


def test_only_a_classification_has_classification_metrics(raw: Json) -> None:
    raw["components"]["ModelFigures"] = {}
    with_metrics = add_report_outputs(raw, classifies=True)["components"]["ModelFigures"]
    kind = with_metrics["outputDefinitions"]["artifacts"]["classification"]["artifactType"]
    assert kind["schemaTitle"] == "system.ClassificationMetrics"
    regression = add_report_outputs(raw, classifies=False)["components"]["ModelFigures"]
    assert regression["outputDefinitions"] == {}
