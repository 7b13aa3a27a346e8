"""ModelFigures: makes the figures of a run's page that show the model."""

from __future__ import annotations

from collections.abc import Mapping

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.model_figures.executor import Executor
from components.model_figures.settings import FigureSettings
from components.predictions.artifacts import PredictionTable
from components.run_figures.artifacts import RunFigures
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import EvaluationConfig, Feature, LabelConfig, ReportConfig
from pipeline.core.contracts import Channel


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {"settings": component_spec.ExecutionParameter(type=str)}
    INPUTS = {
        Channel.EXAMPLES: component_spec.ChannelParameter(type=standard_artifacts.Examples),
        "model": component_spec.ChannelParameter(type=standard_artifacts.Model),
        "schema": component_spec.ChannelParameter(type=standard_artifacts.Schema),
        Channel.PREDICTIONS: component_spec.ChannelParameter(type=PredictionTable),
        Channel.EVALUATION: component_spec.ChannelParameter(
            type=standard_artifacts.ModelEvaluation
        ),
        Channel.BASELINE: component_spec.ChannelParameter(type=ServedModelRecord),
    }
    OUTPUTS = {Channel.FIGURES: component_spec.ChannelParameter(type=RunFigures)}


class ModelFigures(base_component.BaseComponent):
    """Makes the figures that show the model, whether it is blessed or not.

    Args:
      examples: the splits, which hold the cells of the evaluated rows.
      model: the candidate.
      schema: the curated schema.
      predictions: the Evaluator's table of predictions.
      evaluation: the Evaluator's metrics.
      baseline: the record of the served model; empty on a first run.
      features: the section `features`.
      label: the section `label`.
      evaluation_config: the section `evaluation`.
      report: the section `report`.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        examples: types.BaseChannel,
        model: types.BaseChannel,
        schema: types.BaseChannel,
        predictions: types.BaseChannel,
        evaluation: types.BaseChannel,
        baseline: types.BaseChannel,
        features: Mapping[str, Feature],
        label: LabelConfig,
        evaluation_config: EvaluationConfig,
        report: ReportConfig,
    ) -> None:
        super().__init__(
            _Spec(
                settings=FigureSettings.of(features, label, evaluation_config, report).to_json(),
                examples=examples,
                model=model,
                schema=schema,
                predictions=predictions,
                evaluation=evaluation,
                baseline=baseline,
                figures=types.Channel(type=RunFigures),
            )
        )
