"""AnomalyReport, which writes findings about the data, and AnomalyGate, which stops the run."""

from __future__ import annotations

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.anomaly_gate.executor import GateExecutor, ReportExecutor
from components.anomaly_gate.locating.place_settings import PlaceSettings
from components.findings.artifacts import DataFindings
from components.served_model.artifacts import ServedModelRecord
from components.statistics_view.gate_rules import GateRules
from pipeline.config import LabelConfig, SchemaConfig, ValidationConfig
from pipeline.core.contracts import Channel


class _ReportSpec(component_spec.ComponentSpec):
    PARAMETERS = {
        "rules": component_spec.ExecutionParameter(type=str),
        "places": component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {
        Channel.EXAMPLES: component_spec.ChannelParameter(type=standard_artifacts.Examples),
        "statistics": component_spec.ChannelParameter(type=standard_artifacts.ExampleStatistics),
        "schema": component_spec.ChannelParameter(type=standard_artifacts.Schema),
        "anomalies": component_spec.ChannelParameter(type=standard_artifacts.ExampleAnomalies),
        "reference": component_spec.ChannelParameter(type=ServedModelRecord),
    }
    OUTPUTS = {"findings": component_spec.ChannelParameter(type=DataFindings)}


class AnomalyReport(base_component.BaseComponent):
    """Explains the anomalies of ExampleValidator, and adds drift, skew and missing values.

    Args:
      examples: the splits, in which the rows of a finding are looked up.
      statistics: the statistics of the new data.
      schema: the curated schema.
      anomalies: the anomalies that ExampleValidator found.
      reference: the record of the served model; empty on a first run.
      kinds: the feature kind of each column that training reads, without the label.
      label: the section `label`.
      schema_config: the section `schema`.
      validation: the section `validation`.
      places: the columns that locate a row.

    The component keeps only the settings that it reads (see GateRules), so that other settings
    leave its output cached.
    """

    SPEC_CLASS = _ReportSpec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(ReportExecutor)

    def __init__(
        self,
        examples: types.BaseChannel,
        statistics: types.BaseChannel,
        schema: types.BaseChannel,
        anomalies: types.BaseChannel,
        reference: types.BaseChannel,
        kinds: dict[str, str],
        label: LabelConfig,
        schema_config: SchemaConfig,
        validation: ValidationConfig,
        places: PlaceSettings,
    ) -> None:
        super().__init__(
            _ReportSpec(
                rules=GateRules.of(kinds, label, schema_config, validation).to_json(),
                places=places.to_json(),
                examples=examples,
                statistics=statistics,
                schema=schema,
                anomalies=anomalies,
                reference=reference,
                findings=types.Channel(type=DataFindings),
            )
        )


class _GateSpec(component_spec.ComponentSpec):
    PARAMETERS: dict[str, component_spec.ExecutionParameter] = {}
    INPUTS = {"findings": component_spec.ChannelParameter(type=DataFindings)}
    OUTPUTS: dict[str, component_spec.ChannelParameter] = {}


class AnomalyGate(base_component.BaseComponent):
    """Fails on a finding of severity stop. Components that must not see such data run after it.

    Args:
      findings: the output of AnomalyReport.
    """

    SPEC_CLASS = _GateSpec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(GateExecutor)

    def __init__(self, findings: types.BaseChannel) -> None:
        super().__init__(_GateSpec(findings=findings))
