"""Outputs that Kubeflow's pages show of a run, beside the outputs that TFX declares."""

from __future__ import annotations

from pipeline.core.contracts import Node
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy

_CLASSIFICATION = "system.ClassificationMetrics"

REPORTS = {
    Node.ANOMALY_REPORT: {"report": "system.Markdown"},
    Node.EVALUATOR: {"report": "system.Markdown", "metrics": "system.Metrics"},
    Node.MODEL_FIGURES: {"classification": _CLASSIFICATION},
    Node.SERVING_CHECK: {"report": "system.Markdown"},
    Node.MODEL_EXPORTER: {"report": "system.Markdown"},
}
"""By component: the outputs that the entrypoint writes, with their types."""


@changes_a_copy
def add_report_outputs(spec: Spec, classifies: bool) -> None:
    """Adds the report outputs to the components that have any.

    A regression has no classification metrics: Kubeflow's page of the artifact would stay empty.

    A failed task publishes nothing on Kubeflow. So the task before the gate reports the findings,
    and the Evaluator and ServingCheck report why the Pusher will not push.
    """
    for node in REPORTS.keys() & spec["components"].keys():
        outputs = spec["components"][node].setdefault("outputDefinitions", {})
        for name, title in REPORTS[node].items():
            if title == _CLASSIFICATION and not classifies:
                continue
            definition = {"artifactType": {"schemaTitle": title, "schemaVersion": "0.0.1"}}
            outputs.setdefault("artifacts", {})[name] = definition
