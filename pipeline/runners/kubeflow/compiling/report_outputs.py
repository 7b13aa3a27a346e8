"""What Kubeflow shows of a run: outputs beside those that TFX knows."""

from __future__ import annotations

from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy

REPORTS = {
    "AnomalyReport": {"report": "system.Markdown"},
    "Evaluator": {"report": "system.Markdown", "metrics": "system.Metrics"},
}
"""By component, the outputs that the entrypoint fills."""


@changes_a_copy
def add_report_outputs(spec: Spec) -> None:
    """A task that fails publishes nothing, so those before it report."""
    for node in REPORTS.keys() & spec["components"].keys():
        outputs = spec["components"][node].setdefault("outputDefinitions", {})
        for name, kind in REPORTS[node].items():
            kind_of = {"artifactType": {"schemaTitle": kind, "schemaVersion": "0.0.1"}}
            outputs.setdefault("artifacts", {})[name] = kind_of
