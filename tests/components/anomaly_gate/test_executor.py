"""The gate stops the run on findings of severity stop only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from deliveries import FARE, PAY, change, check, table

from components.anomaly_gate.executor import GateExecutor, raise_if_stopping
from components.findings.artifacts import DataFindings
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import DataError


def test_the_error_has_the_number_of_findings_and_the_first_one() -> None:
    data = change(slice(0, None, 30), PAY, "Crypto").drop(columns=[FARE])
    with pytest.raises(DataError) as caught:
        raise_if_stopping(check(data, table()))
    assert str(caught.value) == f"2 findings stop the run; the first: column '{FARE}' is missing"
    assert "schema.reference=none" in caught.value.hint


def test_warnings_do_not_stop_the_run() -> None:
    raise_if_stopping(check(table(seed=1).assign(extra="x"), table()))


def test_the_gate_reads_the_findings_artifact(tmp_path: Path) -> None:
    findings = check(table(seed=1).drop(columns=[FARE]), table())
    (tmp_path / ArtifactFile.FINDINGS).write_text(findings.to_json(), encoding="utf-8")
    artifact = DataFindings()
    artifact.uri = str(tmp_path)
    with pytest.raises(DataError, match=re.escape(f"column '{FARE}' is missing")):
        GateExecutor().Do({"findings": [artifact]}, {}, {})
