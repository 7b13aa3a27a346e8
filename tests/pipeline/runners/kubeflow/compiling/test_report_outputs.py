"""Outputs that Kubeflow's pages show."""

from __future__ import annotations

from typing import Any

from pipeline.runners.kubeflow.compiling.report_outputs import add_report_outputs

Json = dict[str, Any]


def test_only_reporting_components_get_report_outputs(raw: Json) -> None:
    raw["components"]["Evaluator"] = {"outputDefinitions": {"artifacts": {"evaluation": {}}}}
    spec = add_report_outputs(raw)
    outputs = spec["components"]["Evaluator"]["outputDefinitions"]["artifacts"]
    assert set(outputs) == {"evaluation", "report", "metrics"}
    assert spec["components"]["Pusher"] == raw["components"]["Pusher"]
