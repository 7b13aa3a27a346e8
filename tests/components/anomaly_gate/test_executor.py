"""The gate stops the run on findings of severity stop only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from deliveries import FARE, PAY, change, check, config, gate_rules, splits, table
from tensorflow_metadata.proto.v0 import schema_pb2

from components.anomaly_gate.executor import (
    GateExecutor,
    raise_if_stopping,
    refuse_unknown_columns,
)
from components.anomaly_gate.gate_inputs import GateInputs
from components.findings.artifacts import DataFindings
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError, DataError


def test_the_error_has_the_number_of_findings_and_the_first_one() -> None:
    data = change(slice(0, None, 30), PAY, "Crypto").drop(columns=[FARE])
    with pytest.raises(DataError) as caught:
        raise_if_stopping(check(data, table()))
    assert str(caught.value) == f"2 findings stop the run; the first: column '{FARE}' is missing"
    assert "reference=none" in caught.value.hint


def test_settings_of_an_unknown_column_are_refused() -> None:
    own = {"pay-type": {"drift": 0.3}, "gone": {"reference": "none"}}
    settings = config(validation={"columns": own})
    statistics = splits(table(100), settings)
    inputs = GateInputs(statistics, schema_pb2.Schema(), None, gate_rules(settings))
    with pytest.raises(ConfigError, match=r"validation\.columns\.pay-type: the data") as caught:
        refuse_unknown_columns(inputs)
    assert caught.value.hint == f"did you mean '{PAY}'?"


def test_warnings_do_not_stop_the_run() -> None:
    raise_if_stopping(check(table(seed=1).assign(extra="x"), table()))


def test_the_gate_reads_the_findings_artifact(tmp_path: Path) -> None:
    findings = check(table(seed=1).drop(columns=[FARE]), table())
    (tmp_path / ArtifactFile.FINDINGS).write_text(findings.to_json(), encoding="utf-8")
    artifact = DataFindings()
    artifact.uri = str(tmp_path)
    with pytest.raises(DataError, match=re.escape(f"column '{FARE}' is missing")):
        GateExecutor().Do({"findings": [artifact]}, {}, {})
