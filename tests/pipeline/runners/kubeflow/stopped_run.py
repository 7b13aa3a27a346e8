"""A run whose tasks left records on a volume, for tests of its page."""

from __future__ import annotations

import json
from pathlib import Path

from kubeflow_configs import load_kubeflow_config
from kubeflow_records import make_record

from components.findings.findings import Findings
from pipeline.core.contracts import ArtifactFile, Channel, Node
from pipeline.core.events import Failure, Finding
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory

FINDING = Finding(
    column="company", kind="new_category", severity="stop", splits=("train",), problem="new values",
    expected="known companies", found="<b>Evil & Co</b>", examples=("<b>Evil & Co</b>",),
    accept="`--set validation.severity.new_category=warn`", against="the served model",
)  # fmt: skip
GRAPH = {
    "ExampleGen": ["Prepare"],
    "AnomalyReport": ["ExampleGen", "Prepare"],
    "AnomalyGate": ["AnomalyReport", "Prepare"],
    "Trainer": ["AnomalyGate", "ExampleGen", "Prepare"],
    "Prepare": [],
}
EXAMPLES, FINDINGS = "s3://b/1/examples", "s3://b/1/findings"


def make_parameters(overrides: str = "") -> dict[str, str]:
    """Returns the parameters of the exit task of the taxi pipeline."""
    config = load_kubeflow_config([], []).model_dump_json(by_alias=True)
    return {"config": config, "tasks": json.dumps(GRAPH), "overrides": overrides}


def write_stopped_run(root: Path) -> RunDirectory:
    """Writes what the tasks of a run leave that the data gate stops."""
    directory = RunDirectory(root / "1f2e")
    prepared = {
        "properties": {"example-gen": "a", "anomaly-report": "b"},
        "fingerprint": "c0de",
        "data_files": [{"path": "/mnt/trips.csv", "bytes": 12}],
    }
    error = Failure("company: new values stop the run", "`--set a=1`")
    for record in (
        make_record("Prepare", "1f2e", properties="", outcome=prepared),
        make_record("ExampleGen", "1f2e", makes=(EXAMPLES,), code={"ExampleGen": "d1"}),
        make_record("AnomalyReport", "1f2e", reads=(EXAMPLES,), makes=(FINDINGS,)),
        make_record("AnomalyGate", "1f2e", "failed", reads=(FINDINGS,), exit_code=3, error=error),
    ):
        directory.write(record)
    file = root / "findings.json"
    file.write_text(Findings("the served model", (FINDING,)).to_json())
    directory.keep_files(Node.ANOMALY_REPORT, Channel.FINDINGS, {ArtifactFile.FINDINGS: file})
    return directory
