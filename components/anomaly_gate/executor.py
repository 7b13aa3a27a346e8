"""The executors of AnomalyReport, which writes the findings, and AnomalyGate, which stops the run.

TFX removes the outputs of a failed execution, so a single component could not do both.
"""

from __future__ import annotations

import difflib
import os
from typing import Any

import pyarrow as pa
from tensorflow_metadata.proto.v0 import anomalies_pb2
from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.dsl.io import fileio
from tfx.types import artifact_utils
from tfx.utils import io_utils

from components.anomaly_gate.gate_inputs import GateInputs
from components.anomaly_gate.locating.place_settings import PlaceSettings
from components.anomaly_gate.locating.places import Table, locate_findings
from components.anomaly_gate.own_settings import describe_own_settings
from components.anomaly_gate.report import make_findings
from components.findings.findings import Findings, read_findings
from components.predictions.examples import read_examples
from components.served_model.served_record import read_record_artifact
from components.statistics_view.gate_rules import GateRules
from components.statistics_view.reference import (
    list_splits,
    read_reference,
    read_schema,
    read_statistics,
    split_file,
)
from pipeline.config.base import dotted
from pipeline.core.contracts import ArtifactFile, Channel, Property
from pipeline.core.errors import ConfigError, DataError


class ReportExecutor(base_executor.BaseExecutor):
    """Writes the findings, and never fails because of them."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        uris = {key: artifact_utils.get_single_uri(value) for key, value in input_dict.items()}
        rules = GateRules.model_validate_json(exec_properties["rules"])
        record = read_record_artifact(uris["reference"])
        inputs = GateInputs(
            statistics=read_statistics(uris["statistics"]),
            schema=read_schema(uris["schema"]),
            reference=read_reference(uris["reference"], rules.schema_.reference),
            rules=rules,
            left_out=record.version if record and rules.schema_.reference == "none" else None,
        )
        refuse_unknown_columns(inputs)
        examples = artifact_utils.get_single_instance(input_dict[Channel.EXAMPLES])
        types_of_columns = inputs.observed_schema

        def read_column(split: str, name: str) -> pa.ChunkedArray:
            return read_examples(examples, split, types_of_columns, [name]).column(name)

        places = PlaceSettings.model_validate_json(exec_properties["places"])
        findings = locate_findings(
            make_findings(inputs, read_anomalies(uris["anomalies"]), read_column),
            Table(inputs, places, read_column),
        )
        output = artifact_utils.get_single_instance(output_dict["findings"])
        path = os.path.join(output.uri, ArtifactFile.FINDINGS)
        io_utils.write_string_file(path, findings.to_json())
        if note := describe_own_settings(rules.validation):
            output.set_string_custom_property(Property.NOTE, note)


class GateExecutor(base_executor.BaseExecutor):
    """Fails if a finding has severity stop; writes nothing."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        raise_if_stopping(read_findings(artifact_utils.get_single_uri(input_dict["findings"])))


def refuse_unknown_columns(inputs: GateInputs) -> None:
    """Raises ConfigError if `validation.columns` names a column of which nobody knows."""
    known = {f.name for f in inputs.schema.feature} | inputs.columns.keys()
    names = sorted(known | inputs.reference_columns.keys())
    # The setting that accepts a missing column outlives the column.
    settings = inputs.rules.validation.columns.items()
    for name in (name for name, own in settings if own.reference == "served"):
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"the data has {', '.join(names)}"
            key = dotted(("validation", "columns", name))
            raise ConfigError(f"{key}: the data has no column '{name}'", hint)


def raise_if_stopping(findings: Findings) -> None:
    """Raises DataError if a finding has severity stop.

    The message has the number of such findings and the first one; the hint says how to accept it.
    """
    stopping = findings.stopping
    if not stopping:
        return
    first = stopping[0]
    if len(stopping) == 1:
        message = f"the data gate stops the run: {first.problem}"
    else:
        message = f"{len(stopping)} findings stop the run; the first: {first.problem}"
    raise DataError(message, f"to accept it: {first.accept}")


def read_anomalies(uri: str) -> dict[str, anomalies_pb2.Anomalies]:
    """Returns the anomalies of an ExampleAnomalies artifact by split."""
    result = {}
    for split in list_splits(uri):
        with fileio.open(split_file(uri, split, ArtifactFile.ANOMALIES), "rb") as file:
            result[split] = anomalies_pb2.Anomalies.FromString(file.read())
    return result
