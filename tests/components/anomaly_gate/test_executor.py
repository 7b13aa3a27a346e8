"""The gate stops the run on findings of severity stop only."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow_data_validation as tfdv
from deliveries import (
    FARE,
    PAY,
    as_list,
    change,
    check,
    config,
    curated,
    gate_rules,
    read,
    splits,
    table,
)
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.types import artifact, standard_artifacts
from tfx.utils import io_utils

from components.anomaly_gate.executor import (
    GateExecutor,
    ReportExecutor,
    raise_if_stopping,
    refuse_unknown_columns,
)
from components.anomaly_gate.gate_inputs import GateInputs
from components.anomaly_gate.locating.place_settings import PlaceSettings
from components.findings.artifacts import DataFindings
from components.findings.findings import Findings, read_findings
from components.served_model.artifacts import ServedModelRecord
from components.served_model.served_record import ServedRecord, reference_directory
from components.statistics_view.reference import Reference, Splits
from pipeline.core.contracts import NO_REFERENCE, ArtifactFile, Property
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


def write_statistics(directory: Path, statistics: Splits) -> None:
    for split, part in statistics.items():
        path = directory / f"Split-{split}/FeatureStats.pb"
        path.parent.mkdir(parents=True)
        path.write_bytes(as_list(part).SerializeToString())


def write_served(root: Path, data: pd.DataFrame) -> None:
    """Writes the data of the served model 7 and its record."""
    known = splits(data, config())
    kept = Path(reference_directory(str(root), "7"))
    write_statistics(kept / "statistics", known)
    schema = curated(known, None, config())
    io_utils.write_pbtxt_file(str(kept / "schema" / ArtifactFile.SCHEMA), schema)
    record = ServedRecord("7", "", "", "", "", "{}", "", "", directory=str(root))
    (root / "reference").mkdir()
    text = record.to_json()
    (root / "reference" / ArtifactFile.SERVED_RECORD).write_text(text, encoding="utf-8")


def report(root: Path, data: pd.DataFrame, **sections: Any) -> Findings:
    """Returns what the executor finds in a delivery; the record of the served model is written."""
    return read_findings(run_report(root, data, **sections).uri)


def run_report(root: Path, data: pd.DataFrame, **sections: Any) -> DataFindings:
    settings = config(**sections)
    record_file = root / "reference" / ArtifactFile.SERVED_RECORD
    is_compared = record_file.read_text() != "{}" and settings.schema_.reference == "served"
    statistics = splits(data, settings)
    known = splits(table(), settings)
    reference = Reference("7", curated(known, None, settings), known) if is_compared else None
    schema = curated(statistics, reference, settings)
    write_statistics(root / "statistics", statistics)
    io_utils.write_pbtxt_file(str(root / "schema" / ArtifactFile.SCHEMA), schema)
    for split, part in statistics.items():
        found = tfdv.validate_statistics(as_list(part), schema)
        place = root / "anomalies" / f"Split-{split}" / ArtifactFile.ANOMALIES
        place.parent.mkdir(parents=True)
        place.write_bytes(found.SerializeToString())
        write_examples(root / "examples" / f"Split-{split}", data, split)
    (root / "findings").mkdir()
    inputs = {
        "examples": standard_artifacts.Examples(),
        "statistics": standard_artifacts.ExampleStatistics(),
        "schema": standard_artifacts.Schema(),
        "anomalies": standard_artifacts.ExampleAnomalies(),
        "reference": ServedModelRecord(),
    }
    inputs["examples"].split_names = json.dumps(list(statistics))
    inputs["examples"].set_string_custom_property("payload_format", "FORMAT_PARQUET")
    inputs["examples"].set_string_custom_property("file_format", "FILE_FORMAT_PARQUET")
    output = DataFindings()
    for name, one in {**inputs, "findings": output}.items():
        one.uri = str(root / name)
    properties = {
        "rules": gate_rules(settings).to_json(),
        "places": PlaceSettings.of(settings.features, settings.data.split).to_json(),
    }
    as_lists: dict[str, list[artifact.Artifact]] = {name: [a] for name, a in inputs.items()}
    ReportExecutor().Do(as_lists, {"findings": [output]}, properties)
    return output


def write_examples(directory: Path, data: pd.DataFrame, split: str) -> None:
    """Writes a split as the ExampleGen does: each cell is a list."""
    directory.mkdir(parents=True)
    columns = {}
    for name in data:
        cells = read(data, split, str(name)).combine_chunks()
        lists = [None if cell is None else [cell] for cell in cells.to_pylist()]
        columns[name] = pa.array(lists, pa.large_list(cells.type))
    path = directory / "data-00000-of-00001.parquet"
    pq.write_table(pa.table(columns), path, use_compliant_nested_type=False)


def test_settings_that_are_no_defaults_are_told_with_the_findings(tmp_path: Path) -> None:
    write_served(tmp_path, table())
    changed = {"columns": {PAY: {"new_category_share": 0.5}}}
    output = run_report(tmp_path, change(slice(0, None, 30), PAY, "Crypto"), validation=changed)
    assert read_findings(output.uri).findings == ()
    note = output.get_string_custom_property(Property.NOTE)
    assert note.endswith(f"validation.columns.{PAY}.new_category_share=0.5")


def test_the_report_compares_with_the_served_model_and_names_rows(tmp_path: Path) -> None:
    write_served(tmp_path, table())
    found = report(tmp_path, change(slice(0, None, 30), PAY, "Crypto"))
    assert found.checked_against == "the served model 7"
    assert [(one.column, one.kind) for one in found.findings] == [(PAY, "new_category")]
    assert found.findings[0].rows[0].endswith(": Crypto")


@pytest.mark.parametrize("is_served", [False, True])
@pytest.mark.parametrize("reference", ["served", "none"])
def test_the_report_compares_with_nothing_on_a_first_run_and_on_demand(
    tmp_path: Path, is_served: bool, reference: str
) -> None:
    write_served(tmp_path, table())
    if not is_served:
        (tmp_path / "reference" / ArtifactFile.SERVED_RECORD).write_text("{}")
    data = table(seed=1).assign(**{FARE: lambda t: t[FARE] * 100})
    found = report(tmp_path, data, schema={"reference": reference})
    if reference == "served" and is_served:
        assert {one.column for one in found.stopping} == {FARE}
        return
    assert found == Findings(NO_REFERENCE if is_served else "itself (first run)", ())


def test_the_report_refuses_settings_of_an_unknown_column(tmp_path: Path) -> None:
    write_served(tmp_path, table())
    with pytest.raises(ConfigError, match=r"no column 'pay'"):
        report(tmp_path, table(seed=1), validation={"columns": {"pay": {"drift": 0.3}}})
