"""Findings are written to a file and read back, without TensorFlow."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

from components.findings.findings import Findings, read_findings
from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import Finding

FINDING = Finding(
    column="fare (€)",
    kind="new_category",
    severity="stop",
    splits=("train", "eval"),
    problem="3 % of the values of 'fare (€)' are not among the known values",
    expected="'a'",
    found="'b'",
    examples=("b", "ü"),
    accept="`--set validation.severity.new_category=warn`",
    against="itself (first run)",
)


def test_written_findings_are_read_back(tmp_path: Path) -> None:
    findings = Findings("itself (first run)", (FINDING,))
    (tmp_path / ArtifactFile.FINDINGS).write_text(findings.to_json(), encoding="utf-8")
    assert read_findings(str(tmp_path)) == findings


def test_only_findings_of_severity_stop_are_stopping() -> None:
    warning = dataclasses.replace(FINDING, severity="warn")
    assert Findings("", (FINDING, warning)).stopping == (FINDING,)


def test_reading_needs_no_tensorflow() -> None:
    code = "import sys, components.findings.findings; sys.exit('tensorflow' in sys.modules)"
    root = Path(__file__).parents[3]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
