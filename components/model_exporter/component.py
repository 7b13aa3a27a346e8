"""ModelExporter: makes smaller and faster forms of the model, and judges each one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts, standard_component_specs

from components.model_exporter.executor import (
    HYPERPARAMETERS,
    TRAINING_CODE,
    TRANSFORMED,
    Executor,
)
from components.model_exporter.settings import ExporterSettings
from components.model_exports.artifacts import ModelExports
from components.predictions.artifacts import PredictionTable
from pipeline.config import EvaluationConfig, ExportConfig, LabelConfig
from pipeline.core.contracts import Channel

_TEXTS = ("settings", TRAINING_CODE, standard_component_specs.CUSTOM_CONFIG_KEY)


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {name: component_spec.ExecutionParameter(type=str) for name in _TEXTS}
    INPUTS = {
        Channel.EXAMPLES: component_spec.ChannelParameter(type=standard_artifacts.Examples),
        TRANSFORMED: component_spec.ChannelParameter(type=standard_artifacts.Examples),
        "transform_graph": component_spec.ChannelParameter(type=standard_artifacts.TransformGraph),
        "schema": component_spec.ChannelParameter(type=standard_artifacts.Schema),
        "model": component_spec.ChannelParameter(type=standard_artifacts.Model),
        Channel.PREDICTIONS: component_spec.ChannelParameter(type=PredictionTable),
        HYPERPARAMETERS: component_spec.ChannelParameter(
            type=standard_artifacts.HyperParameters, optional=True
        ),
    }
    OUTPUTS = {Channel.EXPORTS: component_spec.ChannelParameter(type=ModelExports)}


class ModelExporter(base_component.BaseComponent):
    """Exports the model to the formats of the section `exports`, whether it is blessed or not.

    It runs after the Evaluator, with whose predictions it compares those of each export.

    Args:
      exports: the section `exports`.
      label: the section `label`.
      evaluation: the section `evaluation`.
      training_code: the module with the functions of trainer_module/exporting.py.
      custom_config: what these functions read.
      hyperparameters: the Tuner's best values; None without a search.
      inputs: a channel for each other input: the raw and the transformed examples, Transform's
        graph, the curated schema, the model, and the Evaluator's table of predictions.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        exports: Sequence[ExportConfig],
        label: LabelConfig,
        evaluation: EvaluationConfig,
        training_code: str,
        custom_config: Mapping[str, str],
        hyperparameters: types.BaseChannel | None = None,
        **inputs: types.BaseChannel,
    ) -> None:
        settings = ExporterSettings(exports=tuple(exports), label=label, evaluation=evaluation)
        texts = {
            "settings": settings.to_json(),
            TRAINING_CODE: training_code,
            standard_component_specs.CUSTOM_CONFIG_KEY: json.dumps(custom_config, sort_keys=True),
        }
        exported = types.Channel(type=ModelExports)
        spec = _Spec(**texts, **inputs, **{HYPERPARAMETERS: hyperparameters}, exports=exported)
        super().__init__(spec)
