"""SchemaCurator, which writes the schema that validation, Transform and the Evaluator use."""

from __future__ import annotations

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.schema_curator.executor import Executor
from components.schema_curator.rules import CurationRules
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import LabelConfig, SchemaConfig, ValidationConfig


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {"rules": component_spec.ExecutionParameter(type=str)}
    INPUTS = {
        "given_schema": component_spec.ChannelParameter(type=standard_artifacts.Schema),
        "statistics": component_spec.ChannelParameter(type=standard_artifacts.ExampleStatistics),
        "reference": component_spec.ChannelParameter(type=ServedModelRecord),
    }
    OUTPUTS = {"schema": component_spec.ChannelParameter(type=standard_artifacts.Schema)}


class SchemaCurator(base_component.BaseComponent):
    """Curates an inferred, a served or a hand-written schema, so that it can validate data.

    Args:
      schema: the schema of SchemaGen, or of ImportSchemaGen if `schema.path` is configured.
      statistics: the statistics of the new data.
      reference: the record of the served model; empty on a first run.
      kinds: the feature kind of each column that training reads, without the label.
      label: the section `label`.
      schema_config: the section `schema`.
      validation: the section `validation`.

    The component keeps only the settings that it reads (see CurationRules), so that other settings
    leave its output cached.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        schema: types.BaseChannel,
        statistics: types.BaseChannel,
        reference: types.BaseChannel,
        kinds: dict[str, str],
        label: LabelConfig,
        schema_config: SchemaConfig,
        validation: ValidationConfig,
    ) -> None:
        super().__init__(
            _Spec(
                rules=CurationRules.of(kinds, label, schema_config, validation).to_json(),
                given_schema=schema,
                statistics=statistics,
                reference=reference,
                schema=types.Channel(type=standard_artifacts.Schema),
            )
        )
