"""DataFigures: makes the figures of a run's page that show the data."""

from __future__ import annotations

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.data_figures.executor import Executor
from components.findings.artifacts import DataFindings
from components.run_figures.artifacts import RunFigures
from components.served_model.artifacts import ServedModelRecord
from components.statistics_view.gate_rules import GateRules
from pipeline.config import LabelConfig, SchemaConfig, ValidationConfig
from pipeline.core.contracts import Channel


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {
        "rules": component_spec.ExecutionParameter(type=str),
        "label": component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {
        Channel.EXAMPLES: component_spec.ChannelParameter(type=standard_artifacts.Examples),
        "statistics": component_spec.ChannelParameter(type=standard_artifacts.ExampleStatistics),
        "schema": component_spec.ChannelParameter(type=standard_artifacts.Schema),
        "findings": component_spec.ChannelParameter(type=DataFindings),
        "reference": component_spec.ChannelParameter(type=ServedModelRecord),
    }
    OUTPUTS = {Channel.FIGURES: component_spec.ChannelParameter(type=RunFigures)}


class DataFigures(base_component.BaseComponent):
    """Makes the figures that show the data, also of data that the gate will refuse.

    Args:
      examples: the splits, from which associations between columns come.
      statistics: the statistics of the splits.
      schema: the curated schema.
      findings: the output of AnomalyReport.
      reference: the record of the served model; empty on a first run.
      kinds: the feature kind of each column that training reads, without the label.
      label: the section `label`.
      schema_config: the section `schema`.
      validation: the section `validation`.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        examples: types.BaseChannel,
        statistics: types.BaseChannel,
        schema: types.BaseChannel,
        findings: types.BaseChannel,
        reference: types.BaseChannel,
        kinds: dict[str, str],
        label: LabelConfig,
        schema_config: SchemaConfig,
        validation: ValidationConfig,
    ) -> None:
        super().__init__(
            _Spec(
                rules=GateRules.of(kinds, label, schema_config, validation).to_json(),
                label=label.to_json(),
                examples=examples,
                statistics=statistics,
                schema=schema,
                findings=findings,
                reference=reference,
                figures=types.Channel(type=RunFigures),
            )
        )
